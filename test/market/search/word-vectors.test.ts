import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { nearWords, vectorOf, wordVectors } from '../../../src/market/search/word-vectors.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

test('the script writes the word vectors that are in the repository, to the byte', async () => {
  const script = (await import(path.join(ROOT, 'scripts/make-word-vectors.mjs'))) as {
    wordVectors(): string;
  };
  const file = path.join(ROOT, 'fixtures/lexicon/word-vectors.txt');
  expect(script.wordVectors() === fs.readFileSync(file, 'utf8')).toBe(true);
});

test('the lexicon is broad: thousands of words over more than sixty fields', () => {
  const { vectors, topics } = wordVectors();
  expect(vectors.size).toBeGreaterThan(5_000);
  expect(topics.length).toBeGreaterThan(60);
});

test('a word is nearest to itself, then to those that mean the same, then to its field; a plural is as its singular', () => {
  const near = nearWords(vectorOf('lawyer') ?? [], 0.2);
  const to = (word: string) => near.get(word) ?? 0;
  expect(to('lawyer')).toBeGreaterThan(0.98);
  expect(to('attorney')).toBeGreaterThan(0.8);
  expect(to('verdict')).toBeGreaterThan(0.3);
  expect(to('verdict')).toBeLessThan(to('attorney'));
  expect(to('espresso')).toBe(0);
  expect(vectorOf('judges')).toBe(vectorOf('judge'));
});
