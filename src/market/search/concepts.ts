import { lazily } from '../../kernel/lazily.ts';
import { lexicon } from '../inventory/lexicon.ts';
import type { QueryWord } from './query.ts';
import { formsOf } from './word-forms.ts';
import { nearWords, topicsOf, vectorOf } from './word-vectors.ts';

export interface Concept {
  word: string;
  weight: number;
  /** The word and its singular or plural. */
  forms: readonly string[];
  /** Words of similar meaning with their similarity, 0 to 1. */
  near: ReadonlyMap<string, number>;
  /** Categories of its industries with their share, 0 to 1. */
  categories: ReadonlyMap<string, number>;
}

/** About the similarity of words of the same industry that are in no common group of related words. */
const MIN_SIMILARITY = 0.3;

const industryCategories = lazily(
  () => new Set(lexicon().industries.map(({ category }) => category)),
);

export function isIndustryCategory(category: string): boolean {
  return industryCategories().has(category);
}

export function conceptsOf(words: readonly QueryWord[]): Concept[] {
  return words.map(({ word, weight }) => {
    const vector = vectorOf(word);
    const topics = vector ? topicsOf(vector) : new Map<string, number>();
    return {
      word,
      // "care" belongs to many industries, "infant" to one: specific words count more.
      weight: weight * Math.max(...(topics.size > 0 ? topics.values() : [1])),
      forms: formsOf(word),
      near: vector ? nearWords(vector, MIN_SIMILARITY) : new Map(),
      categories: categoriesOf(topics),
    };
  });
}

function categoriesOf(topics: ReadonlyMap<string, number>): Map<string, number> {
  return new Map(
    [...topics].flatMap(([topic, share]) => {
      const industry = lexicon().industriesByTopic.get(topic);
      return industry ? [[industry.category, share]] : [];
    }),
  );
}
