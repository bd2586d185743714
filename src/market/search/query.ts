import { normalizeDomain } from '../../kernel/addresses.ts';
import { wordsOfName } from '../inventory/words-of-name.ts';
import { isKnownWord } from './spelling.ts';
import { folded } from './word-forms.ts';

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
  likedTld: string | undefined;
  leastCents: number;
  mostCents: number;
}

export interface QueryWord {
  word: string;
  weight: number;
}

/** Further words are ignored. */
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

/** @param text any text; it has no syntax */
export function readQuery(text: string): Query {
  let rest = folded(text)
    .replace(/\s+/g, ' ')
    .replace(/^ ?https?:\/\//, '')
    .replace(/['’]s\b/g, '');
  const domain = normalizeDomain(text) ?? normalizeDomain(hostOf(rest));
  const prices = readPrices(rest);
  rest = prices.rest.replace(/^\s*www\./, '');
  const endings = readEndings(rest);
  const words = wordsIn(endings.rest);
  return {
    domain,
    label: words.join(''),
    words: weighed(words.flatMap(wordsOfRun)),
    tlds: endings.tlds,
    likedTld: endings.likedTld,
    leastCents: prices.leastCents,
    mostCents: prices.mostCents,
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
function readPrices(text: string): { rest: string; leastCents: number; mostCents: number } {
  let [leastCents, mostCents] = [0, Number.POSITIVE_INFINITY];
  const between = BETWEEN.exec(text);
  if (
    between &&
    (between[1] || between[5] || between[4] || between[8] || /^(?:between)/.test(between[0]))
  ) {
    leastCents = centsOf(between[2], between[3]);
    mostCents = centsOf(between[6], between[7]);
    return { rest: without(text, between), leastCents, mostCents };
  }
  let rest = text;
  const most = AT_MOST.exec(rest);
  if (most) {
    mostCents = centsOf(most[2], most[3]);
    rest = without(rest, most);
  }
  const least = AT_LEAST.exec(rest);
  if (least) {
    leastCents = centsOf(least[2], least[3]);
    rest = without(rest, least);
  }
  const about = most || least ? null : ABOUT.exec(rest);
  if (about && (about[1] || about[4])) {
    mostCents = centsOf(about[2], about[3]);
    rest = without(rest, about);
  }
  return { rest, leastCents, mostCents };
}

function centsOf(number = '', unit = ''): number {
  const factor = { k: 1_000, m: 1_000_000 }[unit] ?? 1;
  return Math.round(Number(number.replace(/[,']/g, '')) * factor * 100);
}

function without(text: string, match: RegExpExecArray): string {
  return `${text.slice(0, match.index)} ${text.slice(match.index + match[0].length)}`;
}

/** ".io" requires a TLD; the TLD of "brewpilot.com" is preferred. */
function readEndings(text: string): { rest: string; tlds: string[]; likedTld: string | undefined } {
  const tlds: string[] = [];
  let likedTld: string | undefined;
  const rest = text
    .replace(/(?<=^|[\s,(])\.((?:[a-z]{2,18}\.)?[a-z]{2,18})(?=$|[\s,)!?])/g, (_, tld: string) => {
      tlds.push(tld);
      return ' ';
    })
    .replace(
      /(?<=[\p{L}\p{N}])\.((?:[a-z]{2,3}\.)?[a-z]{2,18})(?=$|[\s,)/?#])(?:[/?#]\S*)?/gu,
      (_, tld: string) => {
        likedTld ??= tld;
        return ' ';
      },
    );
  return { rest, tlds, likedTld };
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

/** Drops stop words, unless the query is a single one. */
function weighed(words: readonly string[]): QueryWord[] {
  const different = [...new Set(words)];
  const content = different.filter((word) => !STOP_WORDS.has(word));
  const searched = different.length === 1 ? different : content;
  return searched
    .slice(0, MAX_WORDS)
    .map((word) => ({ word, weight: WEAK_WORDS.has(word) ? WEAK_WEIGHT : WEIGHT }));
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
