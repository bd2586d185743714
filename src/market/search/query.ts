import { normalizeDomain } from '../../kernel/domain-name.ts';
import { wordsOfName } from '../inventory/words-of-name.ts';
import { isKnownWord } from './spelling.ts';
import { folded } from './word-forms.ts';

/** What somebody asks for, taken apart. */
export interface Query {
  /** The domain that the query is, where it is one. */
  domain: string | undefined;
  /** The query written as one name: "brew pilot" → "brewpilot". */
  label: string;
  /** Lower-case words without accents, none twice. */
  words: QueryWord[];
  /** Endings that were asked for, without the dot; none leaves them all. */
  tlds: string[];
  /** The ending of a name in the query: good, not needed. */
  likedTld: string | undefined;
  leastCents: number;
  mostCents: number;
}

export interface QueryWord {
  word: string;
  weight: number;
}

/** Words that count; the rest cannot make five results better. */
const MAX_WORDS = 12;
const MAX_WORD = 63;
/** A shorter run of letters is not taken for two words. */
const SHORTEST_RUN = 6;

/** What a word that says much, and one that nearly every business could say of itself, count for. */
const WEIGHT = 1;
const FAINT_WEIGHT = 0.3;

/** Words that say nothing about a name. */
const EMPTY_WORDS = wordSet(`
  a an and any are as at be by for from good has have i in is it me my need nice of on or our please
  some that the this to want we with would you your looking find search get show something
  domain domains name names named website websites site url www http https`);

/** Words that say little about which business it is. */
const FAINT_WORDS = wordSet(`
  affordable agency app apps best big brand brands business businesses cheap cheapest club co company
  companies expensive firm great group hq hub inc lab labs llc local ltd modern new office online
  people platform premium product products professional pro provider service services shop short
  small startup startups store stores studio system systems team tech tool tools top web world`);

/** @param text anything; nothing in it is a command */
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

/** "under $1k", "at least 500", "$200-$2000"; a bare "$500" is the most. A number without any of it is a word. */
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

function without(text: string, found: RegExpExecArray): string {
  return `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}`;
}

/** ".io" asks for an ending; the ending of "brewpilot.com" is only liked. */
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

/** The words of a name that is written as one; what the lexicon does not know stays whole. */
function wordsOfRun(run: string): string[] {
  if (run.length < SHORTEST_RUN || !/^[a-z]/.test(run) || isKnownWord(run)) return [run];
  const words = wordsOfName(run).split(' ');
  return words.every((word) => /^\d+$/.test(word) || isKnownWord(word)) ? words : [run];
}

/** Empty words count only where nothing else was said, and then only one by itself. */
function weighed(words: readonly string[]): QueryWord[] {
  const different = [...new Set(words)];
  const saying = different.filter((word) => !EMPTY_WORDS.has(word));
  const kept = saying.length > 0 || different.length > 1 ? saying : different;
  return kept
    .slice(0, MAX_WORDS)
    .map((word) => ({ word, weight: FAINT_WORDS.has(word) ? FAINT_WEIGHT : WEIGHT }));
}

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}
