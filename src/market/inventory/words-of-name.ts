import { domainToUnicode } from 'node:url';
import { singularOf } from '../search/word-forms.ts';
import { lexiconWords } from './lexicon.ts';

/** Fewest and most letters of a word that is part of a run. */
const MIN_WORD = 2;
const MAX_WORD = 20;

/**
 * Splits a name into words: "brewpilot" → "brew pilot", "cheap-flights24" → "cheap flights 24". A run of letters that
 * is not made of lexicon words and keywords stays one word. Existing listings keep the words that they were stored with.
 * @param label the name before the first dot, in ASCII or punycode
 */
export function wordsOfName(label: string, keywords: readonly string[] = []): string {
  if (label.startsWith('xn--')) return domainToUnicode(label) || label;
  const known = lexiconWords();
  const own = new Set(keywords.flatMap((keyword) => keyword.toLowerCase().split(/\s+/)));
  const isWord = (word: string) => own.has(word) || known.has(word) || known.has(singularOf(word));
  const runs = label.match(/[a-z]+|\d+/g) ?? [label];
  return runs.flatMap((run) => (isWord(run) ? [run] : wordsOfRun(run, isWord))).join(' ');
}

/** Splits a run of letters into as few words as possible; returns the run itself if a part of it is unknown. */
function wordsOfRun(run: string, isWord: (text: string) => boolean): readonly string[] {
  /** The best split of the first letters, by their number. */
  const splits: (readonly string[] | undefined)[] = [[]];
  for (let end = 1; end <= run.length; end++) {
    for (let start = Math.max(0, end - MAX_WORD); start <= end - MIN_WORD; start++) {
      const before = splits[start];
      const word = run.slice(start, end);
      if (!before || before.length + 1 >= (splits[end]?.length ?? Infinity)) continue;
      if (isWord(word)) splits[end] = [...before, word];
    }
  }
  return splits[run.length] ?? [run];
}
