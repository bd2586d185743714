import { MAGIC_CATEGORY } from '../inventory/magic-domains.ts';
import { type Concept, isIndustryCategory } from './concepts.ts';
import type { Query } from './query.ts';
import { isAscii, normalizeText } from './word-forms.ts';
import { isKnownWord } from './word-vectors.ts';

/** A listing as `selectRows` in `search.ts` reads it. */
export interface Candidate {
  id: number;
  domain: string;
  tld: string;
  /** Characters before the first dot. */
  length: number;
  category: string;
  /** An array as JSON text, which `wordsIn` reads like any text. */
  keywords: string;
  /** The words of its name, separated by spaces. */
  words: string;
}

/**
 * Score of a listing for a word of the query, the highest that applies. The name counts more than keywords, spelling more
 * than meaning.
 */
const SCORES = {
  /** The name has the word. */
  word: 1,
  /** The name has its singular or plural. */
  otherForm: 0.95,
  /** The name begins or ends with it. */
  edge: 0.7,
  /** The name contains it. */
  inside: 0.5,
  /** A keyword, or a word of the category, is the word. */
  keyword: 0.5,
  /** A word of the name has a similar meaning, times the similarity. */
  meaning: 0.8,
  /** The category is an industry of the word, times its share. This and the next two are one score, their sum. */
  category: 0.4,
  /** As `meaning`. */
  similarWord: 0.3,
  /** As `meaning`, of a keyword. */
  similarKeyword: 0.1,
};

/** Bonuses on top of the share of the query that matches. */
const BONUS = {
  /** The query names the domain. */
  sameDomain: 2,
  /** The name is the query without spaces. */
  sameName: 0.5,
  /** The TLD is that of a domain in the query. */
  preferredTld: 0.1,
  /** Times the share of the letters of the name in words that match. */
  covered: 0.1,
  /** Per letter of the name: the shorter of two equal matches is better. */
  letter: -0.002,
};

/** A listing that matches a smaller share of the query is relevant only if its name has a bonus. */
const MIN_RELEVANCE = 0.27;
/** `MIN_RELEVANCE` is a share of at most this weight: in a longer query, one similar word is enough. */
const MAX_WEIGHT = 3;
/** A word of the name with at least this score matches the query. */
const MIN_MATCH = 0.5;
const ASCII_WORDS = /[a-z0-9]+/g;
const WORDS = /[\p{L}\p{N}\p{M}]+/gu;
/** A shorter word of the query is not looked for inside words. */
const MIN_INSIDE = 3;

/**
 * Returns the relevant candidates or, if there are none, those whose name has a word of the query. Best first; of equals, the
 * one with the lower id.
 */
export function rank(
  candidates: readonly Candidate[],
  query: Query,
  concepts: readonly Concept[],
): Candidate[] {
  const scored = candidates
    .filter(({ tld }) => query.tlds.length === 0 || query.tlds.includes(tld))
    .map((candidate) => ({ candidate, ...scoreOf(candidate, query, concepts) }));
  const relevant = scored.filter(({ isRelevant }) => isRelevant);
  return (relevant.length > 0 ? relevant : scored.filter(({ hasWord }) => hasWord))
    .toSorted((a, b) => b.score - a.score || a.candidate.id - b.candidate.id)
    .map(({ candidate }) => candidate);
}

function scoreOf(candidate: Candidate, query: Query, concepts: readonly Concept[]) {
  const { domain, length, words } = candidate;
  const listing: ListingText = { label: domain.slice(0, length), words: wordsIn(words), candidate };
  const wordScores = new Array<number>(listing.words.length).fill(0);
  let [totalWeight, matchedWeight] = [0, 0];
  for (const concept of concepts) {
    totalWeight += concept.weight;
    matchedWeight += concept.weight * scoreOfConcept(concept, listing, wordScores);
  }
  const share = totalWeight === 0 ? 1 : matchedWeight / totalWeight;
  const bonus = bonusOfName(candidate, query, listing.label);
  const minWeight = MIN_RELEVANCE * Math.min(totalWeight, MAX_WEIGHT);
  const matchedWords = listing.words.filter((_, at) => (wordScores[at] ?? 0) >= MIN_MATCH);
  const score =
    share +
    bonus +
    BONUS.covered * Math.min(1, matchedWords.join('').length / listing.label.length) +
    (candidate.tld === query.preferredTld ? BONUS.preferredTld : 0) +
    BONUS.letter * listing.label.length;
  return {
    // Absorbs rounding errors, so that equally good names have equal scores.
    score: score + 1,
    isRelevant: matchedWeight >= minWeight || bonus > 0,
    hasWord: wordScores.some((each) => each >= SCORES.otherForm),
  };
}

interface ListingText {
  label: string;
  words: string[];
  /** Including the words of the category; set on first use. */
  keywords?: string[];
  candidate: Candidate;
}

/** @param wordScores receives the score of each word of the name */
function scoreOfConcept(concept: Concept, listing: ListingText, wordScores: number[]): number {
  // Magic domains match only by spelling.
  const isMagic = listing.candidate.category === MAGIC_CATEGORY;
  const near = isMagic ? new Map<string, number>() : concept.near;
  let [bestScore, nearest, nearestKeyword] = [0, 0, 0];
  listing.words.forEach((word, at) => {
    const similarity = near.get(word) ?? 0;
    const score = Math.max(scoreOfSpelling(concept, word), SCORES.meaning * similarity);
    if (score > (wordScores[at] ?? 0)) wordScores[at] = score;
    bestScore = Math.max(bestScore, score);
    nearest = Math.max(nearest, similarity);
  });
  if (bestScore < SCORES.edge) bestScore = Math.max(bestScore, scoreOfContaining(concept, listing));
  const mostByMeaning = SCORES.category + SCORES.similarWord * nearest + SCORES.similarKeyword;
  // Keywords cannot raise this score.
  if (bestScore >= Math.max(SCORES.keyword, mostByMeaning)) return bestScore;
  listing.keywords ??= wordsIn(`${listing.candidate.keywords} ${listing.candidate.category}`);
  for (const keyword of listing.keywords) {
    if (concept.forms.includes(keyword)) bestScore = Math.max(bestScore, SCORES.keyword);
    nearestKeyword = Math.max(nearestKeyword, near.get(keyword) ?? 0);
  }
  const meaningScore =
    SCORES.category * shareOfCategory(concept, listing.candidate.category, nearest) +
    SCORES.similarWord * nearest +
    SCORES.similarKeyword * nearestKeyword;
  return Math.max(bestScore, meaningScore);
}

/** Returns how far a category is that of the concept. If the lexicon lacks it, the words of the name decide. */
function shareOfCategory({ categories }: Concept, category: string, nearest: number): number {
  return isIndustryCategory(category) ? (categories.get(category) ?? 0) : Math.min(1, 2 * nearest);
}

function scoreOfSpelling(concept: Concept, word: string): number {
  if (word === concept.word) return SCORES.word;
  return concept.forms.includes(word) ? SCORES.otherForm : 0;
}

/** Scores a word inside the name. A known word does not count inside another, as "car" in "scarf". */
function scoreOfContaining({ word }: Concept, { label, words }: ListingText): number {
  if (word.length < MIN_INSIDE || !label.includes(word)) return 0;
  if (isKnownWord(word) && words.some((part) => part.includes(word) && isKnownWord(part))) {
    return 0;
  }
  return label.startsWith(word) || label.endsWith(word) ? SCORES.edge : SCORES.inside;
}

function bonusOfName({ domain }: Candidate, query: Query, label: string): number {
  if (query.domains.includes(domain)) return BONUS.sameDomain;
  return label === query.label ? BONUS.sameName : 0;
}

function wordsIn(text: string): string[] {
  const normalized = normalizeText(text);
  return normalized.match(isAscii(normalized) ? ASCII_WORDS : WORDS) ?? [];
}
