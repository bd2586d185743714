import { normalizeDomain } from '../../kernel/addresses.ts';
import { wordsOfName } from '../inventory/words-of-name.ts';
import { normalizeText } from './word-forms.ts';
import { isKnownWord } from './word-vectors.ts';

export interface Query {
  /** The domain names in the query. */
  domains: string[];
  /** The query without spaces: "brew pilot" → "brewpilot". */
  label: string;
  /** Different lower-case words without accents. */
  words: QueryWord[];
  /** Required TLDs without the dot; empty for any. */
  tlds: string[];
  /** TLD of a domain in the query: preferred, not required. */
  preferredTld: string | undefined;
}

export interface QueryWord {
  word: string;
  weight: number;
}

/** More words, stop words not counted, are ignored. */
const MAX_WORDS = 12;
const MAX_WORD_LENGTH = 63;
/** A shorter run of letters is not split into words. */
const MIN_RUN_LENGTH = 6;

/** Weights of a specific word, and of one that fits nearly every business. */
const WEIGHT = 1;
const WEAK_WEIGHT = 0.3;

const STOP_WORDS = wordSet(`
  a an and any are as at be by for from good has have i in is it me my need nice of on or our please
  some that the this to want we with would you your looking find search get show something
  domain domains name names named website websites site url www http https`);

/** Words that fit nearly every business. */
const WEAK_WORDS = wordSet(`
  affordable agency app apps best big brand brands business businesses cheap cheapest club co company
  companies expensive firm great group hq hub inc lab labs llc local ltd modern new office online
  people platform premium product products professional pro provider service services shop short
  small startup startups store stores studio system systems team tech tool tools top web world`);

/** ".io" or ".co.uk", at the start of a word. */
const TLD_ALONE =
  /(?<![^\s,(\p{Quotation_Mark}])\.((?:[a-z]{2,18}\.)?[a-z]{2,18})(?![\p{L}\p{N}_-]|\.\p{L})/gu;
/** The TLD at the end of a name, with the port or path after it. */
const TLD_OF_NAME =
  /(?<=[\p{L}\p{N}])\.((?:[a-z]{2,3}\.)?[a-z]{2,18})(?![\p{L}\p{N}_-]|\.\p{L})(?:[:/?#]\S*)?/gu;

/** Reads a search text. Any text is valid; it has no syntax. */
export function readQuery(text: string): Query {
  // Without the scheme and `www.` of a URL, and without possessives: "baker's" → "baker".
  const normalized = normalizeText(text)
    .replace(/\s+/g, ' ')
    .replace(/^ ?(?:https?:\/\/)?(?:www\.)?/, '')
    .replace(/['’]s\b/g, '');
  const { remainder, tlds, preferredTld } = readEndings(normalized);
  const words = wordsIn(remainder);
  return {
    // Not of the normalized text: without its accents, a name is another domain.
    domains: text.split(/[\s,;!"()]+/).flatMap((part) => normalizeDomain(hostOf(part)) ?? []),
    label: words.join(''),
    words: weighWords(words.flatMap(splitIfKnown)),
    tlds,
    preferredTld,
  };
}

/** Returns the host of a URL, without `www.` unless that is the name itself: `www.net`. */
function hostOf(text: string): string {
  return text
    .replace(/^(?:https?:\/\/)?(?:www\.(?=[^/?#:]+\.[^/?#:]))?/i, '')
    .replace(/[/?#:].*$/s, '');
}

/** ".io" requires a TLD; the TLD of "brewpilot.com" is preferred. */
function readEndings(text: string) {
  const tlds: string[] = [];
  let preferredTld: string | undefined;
  const remainder = text
    .replace(TLD_ALONE, (_, tld: string) => {
      tlds.push(tld);
      return ' ';
    })
    .replace(TLD_OF_NAME, (_, tld: string) => {
      preferredTld ??= tld;
      return ' ';
    });
  return { remainder, tlds, preferredTld };
}

function wordsIn(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.map((word) => [...word].slice(0, MAX_WORD_LENGTH).join(''));
}

function splitIfKnown(run: string): string[] {
  if (run.length < MIN_RUN_LENGTH || !/^[a-z]/.test(run) || isKnownWord(run)) return [run];
  const words = wordsOfName(run).split(' ');
  return words.every((word) => /^\d+$/.test(word) || isKnownWord(word)) ? words : [run];
}

/** Adds weights to words. Drops stop words, unless the query is a single one. */
function weighWords(words: readonly string[]): QueryWord[] {
  const uniqueWords = [...new Set(words)];
  return uniqueWords
    .filter((word) => uniqueWords.length === 1 || !STOP_WORDS.has(word))
    .slice(0, MAX_WORDS)
    .map((word) => ({ word, weight: WEAK_WORDS.has(word) ? WEAK_WEIGHT : WEIGHT }));
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
