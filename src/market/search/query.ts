import { normalizeDomain } from '../../kernel/addresses.ts';
import { wordsOfName } from '../inventory/words-of-name.ts';
import { isKnownWord } from './spelling.ts';
import { normalizeText } from './word-forms.ts';

export interface Query {
  /** The query, if it is a domain name. */
  domain: string | undefined;
  /** The query without spaces: "brew pilot" → "brewpilot". */
  label: string;
  /** Different lower-case words without accents. */
  words: QueryWord[];
  /** Required TLDs without the dot; empty for any. */
  tlds: string[];
  /** TLD of a domain in the query: preferred, not required. */
  preferredTld: string | undefined;
  minCents: number;
  maxCents: number;
}

export interface QueryWord {
  word: string;
  weight: number;
}

/** More words are ignored. */
const MAX_WORDS = 12;
const MAX_WORD = 63;
/** A shorter run of letters is not split into words. */
const MIN_RUN = 6;

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

/** Reads a search text. Any text is valid; it has no syntax. */
export function readQuery(text: string): Query {
  let remainder = normalizeText(text)
    .replace(/\s+/g, ' ')
    .replace(/^ ?https?:\/\//, '')
    .replace(/['’]s\b/g, '');
  const domain = normalizeDomain(text) ?? normalizeDomain(hostOf(remainder));
  const prices = readPrices(remainder);
  remainder = prices.remainder.replace(/^\s*www\./, '');
  const endings = readEndings(remainder);
  const words = wordsIn(endings.remainder);
  return {
    domain,
    label: words.join(''),
    words: weighWords(words.flatMap(wordsOfRun)),
    tlds: endings.tlds,
    preferredTld: endings.preferredTld,
    minCents: prices.minCents,
    maxCents: prices.maxCents,
  };
}

function hostOf(text: string): string {
  return text
    .trim()
    .replace(/^www\./, '')
    .replace(/[/?#].*$/s, '');
}

const AMOUNT = String.raw`(?:usd\s*|us)?(\$)?\s*(\d{1,9}(?:[,']\d{3})*(?:\.\d{1,2})?)\s*([km])?\b\s*(usd|dollars?|bucks|\$)?`;
const AT_MOST = new RegExp(
  String.raw`(?:\b(?:under|below|less than|cheaper than|at most|up to|max(?:imum)?|budget(?: of)?|not more than|no more than|within)|<=?)\s*${AMOUNT}`,
);
const AT_LEAST = new RegExp(
  String.raw`(?:\b(?:over|above|more than|at least|min(?:imum)?|starting at)|>=?)\s*${AMOUNT}`,
);
const BETWEEN = new RegExp(
  String.raw`(?:\b(?:between|from)\s*)?${AMOUNT}\s*(?:-|–|to|and)\s*${AMOUNT}`,
);
const ABOUT = new RegExp(AMOUNT);

/** Reads "under $1k", "at least 500", "$200-$2000"; "$500" is a maximum. Other numbers are words. */
function readPrices(text: string): { remainder: string; minCents: number; maxCents: number } {
  let [minCents, maxCents] = [0, Number.POSITIVE_INFINITY];
  const range = BETWEEN.exec(text);
  if (range && (range[1] || range[5] || range[4] || range[8] || /^(?:between)/.test(range[0]))) {
    minCents = centsOf(range[2], range[3]);
    maxCents = centsOf(range[6], range[7]);
    return { remainder: without(text, range), minCents, maxCents };
  }
  let remainder = text;
  const highest = AT_MOST.exec(remainder);
  if (highest) {
    maxCents = centsOf(highest[2], highest[3]);
    remainder = without(remainder, highest);
  }
  const lowest = AT_LEAST.exec(remainder);
  if (lowest) {
    minCents = centsOf(lowest[2], lowest[3]);
    remainder = without(remainder, lowest);
  }
  const amount = highest || lowest ? null : ABOUT.exec(remainder);
  if (amount && (amount[1] || amount[4])) {
    maxCents = centsOf(amount[2], amount[3]);
    remainder = without(remainder, amount);
  }
  return { remainder, minCents, maxCents };
}

function centsOf(number = '', unit = ''): number {
  const factor = { k: 1_000, m: 1_000_000 }[unit] ?? 1;
  return Math.round(Number(number.replace(/[,']/g, '')) * factor * 100);
}

function without(text: string, match: RegExpExecArray): string {
  return `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`;
}

/** ".io" requires a TLD; the TLD of "brewpilot.com" is preferred. */
function readEndings(text: string): {
  remainder: string;
  tlds: string[];
  preferredTld: string | undefined;
} {
  const tlds: string[] = [];
  let preferredTld: string | undefined;
  const remainder = text
    .replace(/(?<=^|[\s,(])\.((?:[a-z]{2,18}\.)?[a-z]{2,18})(?=$|[\s,)!?])/g, (_, tld: string) => {
      tlds.push(tld);
      return ' ';
    })
    .replace(
      /(?<=[\p{L}\p{N}])\.((?:[a-z]{2,3}\.)?[a-z]{2,18})(?=$|[\s,)/?#])(?:[/?#]\S*)?/gu,
      (_, tld: string) => {
        preferredTld ??= tld;
        return ' ';
      },
    );
  return { remainder, tlds, preferredTld };
}

function wordsIn(text: string): string[] {
  const words = text.match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  return words.slice(0, MAX_WORDS).map((word) => [...word].slice(0, MAX_WORD).join(''));
}

function wordsOfRun(run: string): string[] {
  if (run.length < MIN_RUN || !/^[a-z]/.test(run) || isKnownWord(run)) return [run];
  const words = wordsOfName(run).split(' ');
  return words.every((word) => /^\d+$/.test(word) || isKnownWord(word)) ? words : [run];
}

/** Adds weights to words. Drops stop words, unless the query is a single one. */
function weighWords(words: readonly string[]): QueryWord[] {
  const uniqueWords = [...new Set(words)];
  const content = uniqueWords.filter((word) => !STOP_WORDS.has(word));
  const searchedWords = uniqueWords.length === 1 ? uniqueWords : content;
  return searchedWords
    .slice(0, MAX_WORDS)
    .map((word) => ({ word, weight: WEAK_WORDS.has(word) ? WEAK_WEIGHT : WEIGHT }));
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
