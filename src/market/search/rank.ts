import { MAGIC_CATEGORY } from '../inventory/magic-domains.ts';
import { type Concept, isFieldCategory } from './concepts.ts';
import type { Query } from './query.ts';
import { isKnownWord } from './spelling.ts';
import { folded, isAscii, isOneEditAway } from './word-forms.ts';

/** A listing as far as its rank is concerned. */
export interface Candidate {
  id: number;
  domain: string;
  tld: string;
  /** Letters before the first dot. */
  length: number;
  category: string;
  /** JSON. */
  keywords: string;
  price_cents: number;
  /** The words of its name, by spaces. */
  words: string;
}

/**
 * How well a word of the query is met by a listing: the best of these that applies. A name speaks louder than
 * its keywords, and what is written louder than what is meant.
 */
const MET = {
  /** The name has the word. */
  word: 1,
  /** The name has it as singular or plural. */
  otherForm: 0.95,
  /** The name has a word that it may have been meant for. */
  misspelt: 0.92,
  /** The name begins or ends with it. */
  edge: 0.7,
  /** The name has it somewhere inside, or begins with it where it is a letter or two. */
  inside: 0.5,
  /** A keyword, or a word of the category, is the word. */
  keyword: 0.5,
  /** A word of the name has its meaning; times how much, 0 to 1, as are the next three, which add up. */
  meaning: 0.8,
  /** The category is what it is about, ... */
  category: 0.4,
  /** ... a word of the name goes with it, ... */
  kindred: 0.3,
  /** ... and a keyword does. */
  kindredKeyword: 0.1,
};

/** What is added to the share of the query that is met. */
const ADDED = {
  /** The listing is the domain that was asked for. */
  sameDomain: 2,
  /** The name is the query, written as one. */
  sameName: 0.5,
  /** ... but for one mistake. */
  misspeltName: 0.3,
  /** The ending is the one that the query's name has. */
  likedTld: 0.1,
  /** All letters of the name are of words that meet the query. */
  covered: 0.1,
  /** For each letter of the name: where all else is equal, shorter is better. */
  letter: -0.002,
};

/** A listing that meets less of the query than this has nothing to do with it. */
const RELEVANT = 0.27;
/** From here on a word of the name counts as one that meets the query. */
const MEETS = 0.5;
const ASCII_WORDS = /[a-z0-9]+/g;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
const NOTHING: ReadonlyMap<string, number> = new Map();
const SHORTEST_INSIDE = 3;
const SHORTEST_MISSPELT = 5;

/** The relevant ones of the candidates, best first; of equals the one that was listed first. */
export function rank(
  candidates: readonly Candidate[],
  query: Query,
  concepts: readonly Concept[],
): Candidate[] {
  return candidates
    .filter((candidate) => isWithin(query, candidate))
    .map((candidate) => ({ candidate, score: scoreOf(candidate, query, concepts) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || a.candidate.id - b.candidate.id)
    .map(({ candidate }) => candidate);
}

/** Endings and prices that were asked for are no matter of degree. */
function isWithin({ tlds, leastCents, mostCents }: Query, { tld, price_cents: cents }: Candidate) {
  return (tlds.length === 0 || tlds.includes(tld)) && cents >= leastCents && cents <= mostCents;
}

/** 0 for a listing that has nothing to do with the query. */
function scoreOf(candidate: Candidate, query: Query, concepts: readonly Concept[]): number {
  const listing = readListing(candidate);
  const met = new Array<number>(listing.words.length).fill(0);
  let [total, sum] = [0, 0];
  for (const concept of concepts) {
    total += concept.weight;
    sum += concept.weight * howMet(concept, listing, met);
  }
  const share = total === 0 ? 1 : sum / total;
  const named = howNamed(candidate, query, listing.label, concepts);
  if (share < RELEVANT && named === 0) return 0;
  const letters = listing.words.reduce(
    (found, word, at) => ((met[at] ?? 0) >= MEETS ? found + word.length : found),
    0,
  );
  return (
    share +
    named +
    ADDED.covered * Math.min(1, letters / listing.label.length) +
    (candidate.tld === query.likedTld ? ADDED.likedTld : 0) +
    ADDED.letter * listing.label.length +
    1
  );
}

interface Read {
  label: string;
  words: string[];
  /** With the words of the category; read when they are asked for. */
  keywords?: string[];
  candidate: Candidate;
}

function readListing(candidate: Candidate): Read {
  const { domain, length, words } = candidate;
  return { label: domain.slice(0, length), words: wordsIn(words), candidate };
}

/** Notes in `met` which words of the name meet the concept. */
function howMet(concept: Concept, listing: Read, met: number[]): number {
  const { forms } = concept;
  // Magic domains are for who asks for them by their words.
  const near = listing.candidate.category === MAGIC_CATEGORY ? NOTHING : concept.near;
  let [best, nearest, nearestKeyword] = [0, 0, 0];
  listing.words.forEach((word, at) => {
    const nearness = near.get(word) ?? 0;
    const how = Math.max(howWritten(concept, word), MET.meaning * nearness);
    if (how > (met[at] ?? 0)) met[at] = how;
    best = Math.max(best, how);
    nearest = Math.max(nearest, nearness);
  });
  if (best < MET.edge) best = Math.max(best, howContained(concept, listing));
  // What is met better than keywords could meet it need not look at them.
  if (best >= MET.category + MET.kindred * nearest + MET.kindredKeyword) return best;
  listing.keywords ??= wordsIn(`${listing.candidate.keywords} ${listing.candidate.category}`);
  for (const keyword of listing.keywords) {
    if (forms.includes(keyword)) best = Math.max(best, MET.keyword);
    nearestKeyword = Math.max(nearestKeyword, near.get(keyword) ?? 0);
  }
  const about =
    MET.category * howOfCategory(concept, listing.candidate.category, nearest) +
    MET.kindred * nearest +
    MET.kindredKeyword * nearestKeyword;
  return Math.max(best, about);
}

/** Where the category is none that the lexicon knows, the words of the name speak for it. */
function howOfCategory({ categories }: Concept, category: string, nearest: number): number {
  return isFieldCategory(category) ? (categories.get(category) ?? 0) : Math.min(1, 2 * nearest);
}

/** How a word of the name is the concept's, as it is written. */
function howWritten({ forms, corrections }: Concept, word: string): number {
  const form = forms.indexOf(word);
  if (form >= 0) return form === 0 ? MET.word : MET.otherForm;
  return corrections.includes(word) ? MET.misspelt : 0;
}

/** A word inside another one that has a meaning of its own, "car" in "scarf", is chance. */
function howContained({ word, forms }: Concept, { label, words }: Read): number {
  if (forms.length === 0 || !label.includes(word)) return 0;
  if (word.length < SHORTEST_INSIDE) return label.startsWith(word) ? MET.inside : 0;
  if (isKnownWord(word) && words.some((other) => other.includes(word) && isKnownWord(other))) {
    return 0;
  }
  return label.startsWith(word) || label.endsWith(word) ? MET.edge : MET.inside;
}

function howNamed(
  { domain }: Candidate,
  query: Query,
  label: string,
  concepts: readonly Concept[],
): number {
  if (domain === query.domain) return ADDED.sameDomain;
  if (concepts.every(({ forms }) => forms.length === 0)) return 0;
  if (label === query.label) return ADDED.sameName;
  const misspelt =
    label.length >= SHORTEST_MISSPELT &&
    isOneEditAway(label, query.label) &&
    digitsOf(label) === digitsOf(query.label);
  return misspelt ? ADDED.misspeltName : 0;
}

/** Nobody mistypes 24 for 25; they are two names. */
function digitsOf(label: string): string {
  return label.replace(/\D/g, '');
}

function wordsIn(text: string): string[] {
  const plain = folded(text);
  return plain.match(isAscii(plain) ? ASCII_WORDS : WORDS) ?? [];
}
