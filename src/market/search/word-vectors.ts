import fs from 'node:fs';
import path from 'node:path';
import { singularOf } from './word-forms.ts';

/** A word's weight in fields of business and in groups of kindred words: dimension and weight in turn, ascending. */
export type WordVector = readonly number[];

export interface WordVectors {
  /** Topics of the fields of business; their places are the first dimensions. */
  readonly topics: readonly string[];
  readonly vectors: ReadonlyMap<string, WordVector>;
  /** The words that have a weight in each dimension. */
  readonly members: readonly (readonly string[])[];
}

const FILE = 'fixtures/lexicon/word-vectors.txt';
/** Square of the length of every vector in the file. */
const LENGTH_SQUARED = 10_000;

let loaded: WordVectors | undefined;

/** Read when the first search asks for it: a start does without. */
export function wordVectors(): WordVectors {
  loaded ??= parse(fs.readFileSync(whereItLies(), 'utf8'));
  return loaded;
}

/** The vector of a word, or of its singular; undefined for a word that the lexicon does not know. */
export function vectorOf(word: string): WordVector | undefined {
  const { vectors } = wordVectors();
  return vectors.get(word) ?? vectors.get(singularOf(word));
}

/**
 * The words nearest in meaning to a vector, itself included, by their similarity (cosine, 0 to 1).
 * @param least similarity that counts
 */
export function nearWords(vector: WordVector, least: number): Map<string, number> {
  const { members, vectors } = wordVectors();
  const near = new Map<string, number>();
  for (let at = 0; at < vector.length; at += 2) {
    for (const word of members[vector[at] ?? -1] ?? []) {
      if (near.has(word)) continue;
      near.set(word, similarity(vector, vectors.get(word) ?? []));
    }
  }
  for (const [word, nearness] of near) if (nearness < least) near.delete(word);
  return near;
}

/** How much of what a word says about fields of business it says about each: by topic, 0 to 1. */
export function topicsOf(vector: WordVector): Map<string, number> {
  const { topics } = wordVectors();
  const found = new Map<string, number>();
  let squares = 0;
  for (let at = 0; at < vector.length; at += 2) {
    const topic = topics[vector[at] ?? -1];
    const weight = vector[at + 1] ?? 0;
    if (topic === undefined) break;
    found.set(topic, weight);
    squares += weight * weight;
  }
  for (const [topic, weight] of found) found.set(topic, weight / Math.sqrt(squares));
  return found;
}

/** The cosine of two vectors. */
function similarity(a: WordVector, b: WordVector): number {
  let product = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [x = 0, y = 0] = [a[i], b[j]];
    if (x === y) product += (a[i + 1] ?? 0) * (b[j + 1] ?? 0);
    if (x <= y) i += 2;
    if (y <= x) j += 2;
  }
  return Math.min(1, product / LENGTH_SQUARED);
}

function parse(text: string): WordVectors {
  const [heading = '', ...lines] = text.trimEnd().split('\n');
  const vectors = new Map<string, WordVector>();
  const members: string[][] = [];
  for (const line of lines) {
    const [word = '', ...weights] = line.split(' ');
    const vector: number[] = [];
    for (const weight of weights) {
      const colon = weight.indexOf(':');
      const dimension = Number(weight.slice(0, colon));
      vector.push(dimension, Number(weight.slice(colon + 1)));
      members[dimension] ??= [];
      members[dimension]?.push(word);
    }
    vectors.set(word, vector);
  }
  return { topics: heading.split(' '), vectors, members };
}

/** Above the sources and above the bundle lie the same fixtures. */
function whereItLies(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    const file = path.join(folder, FILE);
    if (fs.existsSync(file)) return file;
    if (folder === path.dirname(folder)) throw new Error(`${FILE} is missing`);
  }
}
