import { readFixture } from '../../kernel/fixture.ts';
import { lazily } from '../../kernel/lazily.ts';
import { lexiconWords } from '../inventory/lexicon.ts';
import { singularOf } from './word-forms.ts';

/** Weights of a word in industries and groups of related words: pairs of dimension and weight, by dimension. */
type WordVector = readonly number[];

interface WordVectors {
  /** Topics of the industries, which are the first dimensions. */
  topics: readonly string[];
  vectors: ReadonlyMap<string, WordVector>;
  /** The words with a weight in each dimension. */
  wordsByDimension: ReadonlyMap<number, readonly string[]>;
}

/** Squared length of every vector in the file, which `npm run lexicon` writes. */
const LENGTH_SQUARED = 10_000;

export const wordVectors = lazily((): WordVectors => {
  const [heading = '', ...lines] = readFixture('lexicon/word-vectors.txt').trimEnd().split('\n');
  const vectors = new Map<string, WordVector>();
  const wordsByDimension = new Map<number, string[]>();
  for (const line of lines) {
    const [word = '', ...pairs] = line.split(/[ :]/);
    const vector = pairs.map(Number);
    vectors.set(word, vector);
    for (let at = 0; at < vector.length; at += 2) {
      const dimension = vector[at] ?? 0;
      const words = wordsByDimension.get(dimension);
      if (words) words.push(word);
      else wordsByDimension.set(dimension, [word]);
    }
  }
  return { topics: heading.split(' '), vectors, wordsByDimension };
});

export function isKnownWord(word: string): boolean {
  return lexiconWords().has(word) || wordVectors().vectors.has(word);
}

/** Returns the vector of a word, or of its singular. */
export function vectorOf(word: string): WordVector | undefined {
  const { vectors } = wordVectors();
  return vectors.get(word) ?? vectors.get(singularOf(word));
}

/** Returns the words of similar meaning with their similarity (cosine, 0 to 1), including the word itself. */
export function nearWords(vector: WordVector, minSimilarity: number): Map<string, number> {
  const { vectors, wordsByDimension } = wordVectors();
  const seen = new Set<string>();
  const near = new Map<string, number>();
  for (let at = 0; at < vector.length; at += 2) {
    for (const word of wordsByDimension.get(vector[at] ?? 0) ?? []) {
      if (seen.has(word)) continue;
      seen.add(word);
      const wordSimilarity = similarity(vector, vectors.get(word) ?? []);
      if (wordSimilarity >= minSimilarity) near.set(word, wordSimilarity);
    }
  }
  return near;
}

/** Returns the share of each industry in a vector, 0 to 1, by topic. The squares of the shares add up to 1. */
export function topicsOf(vector: WordVector): Map<string, number> {
  const { topics } = wordVectors();
  const weights = new Map<string, number>();
  let squares = 0;
  for (let at = 0; at < vector.length; at += 2) {
    const topic = topics[vector[at] ?? -1];
    const weight = vector[at + 1] ?? 0;
    if (topic === undefined) break;
    weights.set(topic, weight);
    squares += weight * weight;
  }
  for (const [topic, weight] of weights) weights.set(topic, weight / Math.sqrt(squares));
  return weights;
}

function similarity(a: WordVector, b: WordVector): number {
  let product = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [dimensionA = 0, dimensionB = 0] = [a[i], b[j]];
    if (dimensionA === dimensionB) product += (a[i + 1] ?? 0) * (b[j + 1] ?? 0);
    // Both are sorted by dimension: the one at the lower dimension goes on to its next.
    if (dimensionA <= dimensionB) i += 2;
    if (dimensionB <= dimensionA) j += 2;
  }
  return Math.min(1, product / LENGTH_SQUARED);
}
