import { lexiconWords } from '../inventory/lexicon.ts';
import { isOneEditAway } from './word-forms.ts';
import { wordVectors } from './word-vectors.ts';

/** Shorter words have too many neighbors to guess. */
const MIN_LENGTH = 4;
/** In shorter words, the first letter is taken as correct. */
const MIN_LENGTH_FOR_FIRST_LETTER = 6;
const MAX_CORRECTIONS = 4;

let byLength: ReadonlyMap<number, readonly string[]> | undefined;

export function isKnownWord(word: string): boolean {
  return lexiconWords().has(word) || wordVectors().vectors.has(word);
}

/**
 * Returns lexicon words of which a word may be a misspelling; none for a correct word. Likely mistakes come first: a
 * missing letter or two swapped ones, then a wrong letter, then an extra one.
 */
export function correctionsOf(word: string): string[] {
  if (word.length < MIN_LENGTH || isKnownWord(word)) return [];
  const letters = sortedLetters(word);
  const likelyWords = wordsAway(word, 1);
  const sameLengthWords = wordsAway(word, 0);
  likelyWords.push(...sameLengthWords.filter((candidate) => sortedLetters(candidate) === letters));
  const corrections =
    [likelyWords, sameLengthWords, wordsAway(word, -1)].find((words) => words.length > 0) ?? [];
  return corrections.slice(0, MAX_CORRECTIONS);
}

/** Lists the lexicon words that are one edit away and `longer` letters longer. */
function wordsAway(word: string, longer: number): string[] {
  const candidates = wordsByLength().get(word.length + longer) ?? [];
  const needsSameFirst = word.length < MIN_LENGTH_FOR_FIRST_LETTER;
  return candidates.filter(
    (candidate) => (!needsSameFirst || candidate[0] === word[0]) && isOneEditAway(word, candidate),
  );
}

function sortedLetters(word: string): string {
  return [...word].sort().join('');
}

function wordsByLength(): ReadonlyMap<number, readonly string[]> {
  byLength ??= Map.groupBy(
    new Set([...lexiconWords(), ...wordVectors().vectors.keys()]),
    ({ length }) => length,
  );
  return byLength;
}
