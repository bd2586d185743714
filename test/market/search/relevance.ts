import fs from 'node:fs';
import path from 'node:path';
import { DEFAULT_INVENTORY, DEFAULT_SEED } from '../../../src/market/defaults.ts';
import {
  type GeneratedListing,
  generateListings,
} from '../../../src/market/inventory/generate-listings.ts';
import { ROOT } from '../../support/sandlot-process.ts';

/** Conditions on a listing, which must all hold; words are whole words of its name. */
interface Condition {
  domain?: string;
  words?: string[];
  also?: string[];
  category?: string;
}

/** A query of fixtures/relevance.json with its expected results. */
interface Judged {
  q: string;
  kind: 'exact' | 'partial' | 'meaning' | 'mixed' | 'nonsense';
  half: 'tuning' | 'held-out';
  /** Conditions of the grades 3, 2 and 1: a listing has the best grade of which any condition holds. */
  best?: Condition[];
  good?: Condition[];
  fair?: Condition[];
  /** A listing with another ending has grade 0. */
  tld?: string;
}

export interface Figures {
  /** Share of the queries with one of the best listings among the five results. */
  hit: number;
  /** Mean normalized discounted cumulative gain of the five results, 0 to 1. */
  ndcg: number;
  /** Share of the nonsense queries without a result. */
  empty: number;
}

const SHOWN = 5;

/**
 * Judges the queries that nothing was tuned on, independently of how search ranks.
 * @param find returns the domains that a search of the default inventory finds, best first
 */
export function evaluate(find: (q: string) => string[]): Figures {
  const file = fs.readFileSync(path.join(ROOT, 'fixtures/relevance.json'), 'utf8');
  const queries = (JSON.parse(file) as Judged[]).filter(({ half }) => half === 'held-out');
  const listings = [...generateListings(DEFAULT_SEED, DEFAULT_INVENTORY)];
  const byDomain = new Map(listings.map((listing) => [listing.domain, listing]));
  const [nonsense, sense] = [
    queries.filter(({ kind }) => kind === 'nonsense'),
    queries.filter(({ kind }) => kind !== 'nonsense'),
  ];
  const results = sense.map((judged) => {
    const grades = find(judged.q).map((domain) => gradeOf(judged, byDomain.get(domain)));
    const ideal = listings
      .map((listing) => gradeOf(judged, listing))
      .sort((a, b) => b - a)
      .slice(0, SHOWN);
    const [best = 0] = ideal;
    const isHit = best > 0 && grades.includes(best);
    return { hit: Number(isHit), ndcg: gain(grades) / (gain(ideal) || 1) };
  });
  return {
    hit: mean(results.map(({ hit }) => hit)),
    ndcg: mean(results.map(({ ndcg }) => ndcg)),
    empty: mean(nonsense.map(({ q }) => Number(find(q).length === 0))),
  };
}

function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** Returns 3 for an expected listing, 2 or 1 for an acceptable one, 0 for the rest. */
function gradeOf(judged: Judged, listing: GeneratedListing | undefined): number {
  if (!listing || (judged.tld !== undefined && listing.tld !== judged.tld)) return 0;
  const holds = (conditions: Condition[] = []) =>
    conditions.some((condition) => fits(condition, listing));
  if (holds(judged.best)) return 3;
  if (holds(judged.good)) return 2;
  return holds(judged.fair) ? 1 : 0;
}

function fits(condition: Condition, listing: GeneratedListing): boolean {
  const { domain, words, also, category } = condition;
  const nameWords = listing.words.split(' ');
  const has = (some: string[]) => some.some((word) => nameWords.includes(word));
  return (
    (domain === undefined || domain === listing.domain) &&
    (category === undefined || category === listing.category) &&
    (words === undefined || has(words)) &&
    (also === undefined || has(also))
  );
}
