import { lexiconWords } from '../inventory/words-of-name.ts';
import { isOneEditAway } from './word-forms.ts';
import { wordVectors } from './word-vectors.ts';

/** A shorter word has too many neighbors for any of them to be what was meant. */
const SHORTEST = 4;
/** In a word shorter than this the first letter counts as written. */
const SURE_OF_FIRST_LETTER = 6;
const MOST = 4;

let byLength: ReadonlyMap<number, readonly string[]> | undefined;

/** Whether the lexicon has the word. */
export function isKnownWord(word: string): boolean {
  return lexiconWords().has(word) || wordVectors().places.has(word);
}

/**
 * Words of the lexicon that a word may have been meant for; none for a word that is right. Of several mistakes the
 * likelier is believed: a letter left out or two swapped, then a wrong one, then one too many.
 */
export function correctionsOf(word: string): string[] {
  if (word.length < SHORTEST || isKnownWord(word)) return [];
  const letters = sortedLetters(word);
  const likely = wordsAway(word, 1);
  const others = wordsAway(word, 0);
  likely.push(...others.filter((known) => sortedLetters(known) === letters));
  const found = [likely, others, wordsAway(word, -1)].find((words) => words.length > 0) ?? [];
  return found.slice(0, MOST);
}

/** Words of the lexicon, so many letters longer, that are one edit away. */
function wordsAway(word: string, longer: number): string[] {
  const known = wordsByLength().get(word.length + longer) ?? [];
  const sure = word.length < SURE_OF_FIRST_LETTER;
  return known.filter((other) => (!sure || other[0] === word[0]) && isOneEditAway(word, other));
}

function sortedLetters(word: string): string {
  return [...word].sort().join('');
}

function wordsByLength(): ReadonlyMap<number, readonly string[]> {
  byLength ??= Map.groupBy(
    new Set([...lexiconWords(), ...wordVectors().words]),
    ({ length }) => length,
  );
  return byLength;
}
