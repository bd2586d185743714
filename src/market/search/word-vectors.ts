import fs from 'node:fs';
import path from 'node:path';
import { singularOf } from './word-forms.ts';

/** Weights of a word in fields of business and groups of related words: pairs of dimension and weight, ascending. */
type WordVector = Uint16Array;

/** All words in flat arrays: an array per word would take most of the loading time. */
interface WordVectors {
  /** Topics of the fields of business: the first dimensions. */
  readonly topics: readonly string[];
  readonly words: readonly string[];
  /** Index of each word in `words`. */
  readonly places: ReadonlyMap<string, number>;
  /** The vectors of all words, and the start of each; the last start is the end of the last vector. */
  readonly weights: Uint16Array;
  readonly starts: Uint32Array;
  /** Indexes of the words with a weight in each dimension, and the start of each dimension. */
  readonly members: Uint16Array;
  readonly memberStarts: Uint32Array;
}

const FILE = 'fixtures/lexicon/word-vectors.txt';
/** Squared length of every vector in the file. */
const LENGTH_SQUARED = 10_000;

const [LINE_FEED, SPACE, COLON, ZERO, NINE] = [10, 32, 58, 48, 57];

let loaded: WordVectors | undefined;

export function wordVectors(): WordVectors {
  loaded ??= parse(fs.readFileSync(findFile()));
  return loaded;
}

/** Returns the vector of a word, or of its singular. */
export function vectorOf(word: string): WordVector | undefined {
  const { places } = wordVectors();
  const place = places.get(word) ?? places.get(singularOf(word));
  return place === undefined ? undefined : vectorAt(place);
}

/**
 * Returns the words of similar meaning with their similarity (cosine, 0 to 1), the word itself included.
 * @param least lowest similarity
 */
export function nearWords(vector: WordVector, least: number): Map<string, number> {
  const { words, members, memberStarts } = wordVectors();
  const seen = new Set<number>();
  const near = new Map<string, number>();
  for (let at = 0; at < vector.length; at += 2) {
    const dimension = vector[at] ?? 0;
    const end = memberStarts[dimension + 1] ?? 0;
    for (let member = memberStarts[dimension] ?? 0; member < end; member++) {
      const place = members[member] ?? 0;
      if (seen.has(place)) continue;
      seen.add(place);
      const nearness = similarity(vector, vectorAt(place));
      if (nearness >= least) near.set(words[place] ?? '', nearness);
    }
  }
  return near;
}

function vectorAt(place: number): WordVector {
  const { weights, starts } = wordVectors();
  return weights.subarray(starts[place], starts[place + 1]);
}

/** Returns the share of each field of business in a vector, 0 to 1, by topic. */
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

/** Parses the file byte by byte, which is several times faster than splitting text. The file is ASCII. */
function parse(bytes: Buffer): WordVectors {
  const heading = bytes.indexOf(LINE_FEED);
  const words: string[] = [];
  const places = new Map<string, number>();
  const starts = [0];
  const weights: number[] = [];
  let [wordStart, number] = [heading + 1, -1];
  for (let at = wordStart; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte >= ZERO && byte <= NINE && wordStart < 0) {
      number = Math.max(number, 0) * 10 + byte - ZERO;
    } else if (byte === SPACE || byte === COLON || byte === LINE_FEED) {
      if (wordStart >= 0) {
        const word = bytes.toString('latin1', wordStart, at);
        places.set(word, words.length);
        words.push(word);
      } else weights.push(number);
      number = -1;
      wordStart = byte === LINE_FEED ? at + 1 : -1;
      if (byte === LINE_FEED) starts.push(weights.length);
    }
  }
  const vectors = { weights: Uint16Array.from(weights), starts: Uint32Array.from(starts) };
  const topics = bytes.toString('latin1', 0, heading).split(' ');
  return { topics, words, places, ...vectors, ...membersOf(vectors) };
}

/** Sorts the words by dimension: counts them, then puts them at the offset of the count. */
function membersOf({ weights, starts }: Pick<WordVectors, 'weights' | 'starts'>) {
  let dimensions = 0;
  for (let at = 0; at < weights.length; at += 2)
    dimensions = Math.max(dimensions, (weights[at] ?? 0) + 1);
  const memberStarts = new Uint32Array(dimensions + 1);
  const countUp = (at: number) => {
    const count = memberStarts[at] ?? 0;
    memberStarts[at] = count + 1;
    return count;
  };
  for (let at = 0; at < weights.length; at += 2) countUp((weights[at] ?? 0) + 1);
  for (let at = 1; at <= dimensions; at++) {
    memberStarts[at] = (memberStarts[at] ?? 0) + (memberStarts[at - 1] ?? 0);
  }
  const next = memberStarts.slice();
  const members = new Uint16Array(weights.length / 2);
  for (let place = 0; place + 1 < starts.length; place++) {
    for (let at = starts[place] ?? 0; at < (starts[place + 1] ?? 0); at += 2) {
      const dimension = weights[at] ?? 0;
      const free = next[dimension] ?? 0;
      members[free] = place;
      next[dimension] = free + 1;
    }
  }
  return { members, memberStarts };
}

/** Finds the file in a folder above the sources or the bundle. */
function findFile(): string {
  for (let folder = import.meta.dirname; ; folder = path.dirname(folder)) {
    const file = path.join(folder, FILE);
    if (fs.existsSync(file)) return file;
    if (folder === path.dirname(folder)) throw new Error(`${FILE} is missing`);
  }
}
