import { fields, fieldsByTopic } from '../inventory/lexicon.ts';
import type { QueryWord } from './query.ts';
import { correctionsOf } from './spelling.ts';
import { formsOf } from './word-forms.ts';
import { nearWords, topicsOf, vectorOf } from './word-vectors.ts';

/** What a search looks at: words as they are written, their meaning, or both. */
export interface Methods {
  keyword: boolean;
  meaning: boolean;
}

export const HYBRID: Methods = { keyword: true, meaning: true };

/** A word of the query with all that may stand for it in a name. */
export interface Concept {
  word: string;
  weight: number;
  /** Its forms, itself first; none in a search by meaning alone. */
  forms: readonly string[];
  /** Words of the lexicon that it may have been meant for. */
  corrections: readonly string[];
  /** Words of like meaning with their similarity, 0 to 1; none in a search by keyword alone. */
  near: ReadonlyMap<string, number>;
  /** Categories of the fields it speaks of, 0 to 1. */
  categories: ReadonlyMap<string, number>;
}

/** Words of one field that stand in no group together are about this similar. */
const LEAST_SIMILARITY = 0.3;

const fieldCategories: ReadonlySet<string> = new Set(fields.map(({ category }) => category));

/** Whether the lexicon knows which field of business a category is. */
export function isFieldCategory(category: string): boolean {
  return fieldCategories.has(category);
}

/** Looks up what the words of a query stand for. */
export function conceptsOf(words: readonly QueryWord[], methods: Methods): Concept[] {
  return words.map(({ word, weight }) => {
    const corrections = correctionsOf(word);
    const vector = [word, ...corrections].map(vectorOf).find((found) => found !== undefined);
    const topics = vector ? topicsOf(vector) : new Map<string, number>();
    return {
      word,
      // "care" is said in many fields, "infant" in one: what says more counts more.
      weight: weight * Math.max(...(topics.size > 0 ? topics.values() : [1])),
      forms: methods.keyword ? formsOf(word) : [],
      corrections: methods.keyword ? corrections : [],
      near: vector && methods.meaning ? nearWords(vector, LEAST_SIMILARITY) : new Map(),
      categories: methods.meaning ? categoriesOf(topics) : new Map(),
    };
  });
}

function categoriesOf(topics: ReadonlyMap<string, number>): Map<string, number> {
  return new Map(
    [...topics].flatMap(([topic, share]) => {
      const field = fieldsByTopic.get(topic);
      return field ? [[field.category, share]] : [];
    }),
  );
}
