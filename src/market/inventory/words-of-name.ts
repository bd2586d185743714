import { domainToUnicode } from 'node:url';
import { lazily } from '../../kernel/lazily.ts';
import { lexicon } from './lexicon.ts';

/** Costs of the words of a split. The cheapest split wins: few known words, keywords rather than lexicon words. */
const KEYWORD = 0.9;
const WORD = 1;
/** A word of two letters costs more: two letters are more often part of another word. */
const SHORT_WORD = 1.8;
const STRAY_LETTER = 1.2;
const MAX_WORD = 20;

/**
 * Splits a name into words: "brewpilot" → "brew pilot", "cheap-flights24" → "cheap flights 24". A name that is not
 * made of lexicon words and keywords stays one word.
 * @param label the name before the first dot, in ASCII or punycode
 */
export function wordsOfName(label: string, keywords: readonly string[] = []): string {
  if (label.startsWith('xn--')) return domainToUnicode(label) || label;
  const keywordSet = new Set(keywords.flatMap((keyword) => keyword.toLowerCase().split(/\s+/)));
  const pieces = label.match(/[a-z]+|\d+/g) ?? [label];
  return pieces.flatMap((piece) => wordsOfPiece(piece, keywordSet)).join(' ');
}

/** Finds the cheapest split of a run of letters into words; returns the run itself if much of it is unknown. */
function wordsOfPiece(piece: string, keywordSet: ReadonlySet<string>): string[] {
  const words = lexiconWords();
  if (piece.length < 4 || words.has(piece) || keywordSet.has(piece)) return [piece];
  const costs = [0];
  const starts = [0];
  for (let end = 1; end <= piece.length; end++) {
    let lowestCost = (costs[end - 1] ?? 0) + STRAY_LETTER;
    let bestStart = end - 1;
    for (let start = Math.max(0, end - MAX_WORD); start <= end - 2; start++) {
      const word = piece.slice(start, end);
      const cost = keywordSet.has(word) ? KEYWORD : words.has(word) ? costOf(word) : Infinity;
      const total = (costs[start] ?? 0) + cost;
      if (total >= lowestCost) continue;
      lowestCost = total;
      bestStart = start;
    }
    costs.push(lowestCost);
    starts.push(bestStart);
  }
  return readWords(piece, starts);
}

function costOf(word: string): number {
  return word.length > 2 ? WORD : SHORT_WORD;
}

/** Reads the words from the end, by their starts. A stray letter joins the word before it: the "s" of "flights". */
function readWords(piece: string, starts: readonly number[]): string[] {
  const words: string[] = [];
  let strays = 0;
  for (let end = piece.length; end > 0; ) {
    let start = starts[end] ?? 0;
    if (end - start === 1) {
      strays += 1;
      start = starts[start] ?? 0;
    }
    words.unshift(piece.slice(start, end));
    end = start;
  }
  // With several stray letters, or one at the start, the split is a guess.
  return strays > 1 || words[0]?.length === 1 ? [piece] : words;
}

/** Words of the lexicon. */
export const lexiconWords = lazily((): ReadonlySet<string> => {
  const { fields, nameParts } = lexicon();
  return new Set([
    ...fields.flatMap(({ words, tails }) => [...words, ...tails]),
    ...nameParts.adjectives,
    ...nameParts.tails,
    ...nameParts.images,
    ...nameParts.prefixes,
    ...nameParts.suffixes,
    ...nameParts.places.flat(),
  ]);
});
