import fs from 'node:fs';
import path from 'node:path';
import { DEFAULT_INVENTORY, DEFAULT_SEED } from '../../src/market/defaults.ts';
import {
  type GeneratedListing,
  generateListings,
} from '../../src/market/inventory/generate-listings.ts';

export type Half = 'tuning' | 'held-out';

/** Conditions on a listing, which must all hold; words are whole words of its name. */
interface Condition {
  domain?: string;
  words?: string[];
  also?: string[];
  category?: string;
}

/** A query of fixtures/relevance.json with its expected results. */
export interface Judged {
  q: string;
  kind: 'exact' | 'partial' | 'meaning' | 'mixed' | 'nonsense';
  half: Half;
  /** Conditions of the grades 3, 2 and 1: a listing has the best grade of which any condition holds. */
  best?: Condition[];
  good?: Condition[];
  fair?: Condition[];
  /** A listing of another TLD has grade 0. */
  tld?: string;
}

interface Graded extends Pick<GeneratedListing, 'domain' | 'category' | 'tld'> {
  nameWords: ReadonlySet<string>;
}

const FILE = path.join(import.meta.dirname, '../../fixtures/relevance.json');

/** Grades listings of the default inventory, independently of how search ranks them. */
export class Judge {
  readonly queries: readonly Judged[] = JSON.parse(fs.readFileSync(FILE, 'utf8'));
  readonly #inventory = new Map<string, Graded>();

  constructor() {
    for (const listing of generateListings(DEFAULT_SEED, DEFAULT_INVENTORY)) {
      const { domain, category, tld } = listing;
      const nameWords = new Set(listing.words.split(' '));
      this.#inventory.set(domain, { domain, category, tld, nameWords });
    }
  }

  /** Returns 3 for an expected listing, 2 or 1 for an acceptable one, 0 for the rest. */
  grade(judged: Judged, domain: string): number {
    const listing = this.#inventory.get(domain);
    return listing ? gradeOf(judged, listing) : 0;
  }

  /** Returns the grades of the best `count` listings of the inventory, best first. */
  ideal(judged: Judged, count: number): number[] {
    const grades = [...this.#inventory.values()].map((listing) => gradeOf(judged, listing));
    return grades.sort((a, b) => b - a).slice(0, count);
  }
}

function gradeOf(judged: Judged, listing: Graded): number {
  if (judged.tld !== undefined && listing.tld !== judged.tld) return 0;
  const holds = (conditions: Condition[] = []) =>
    conditions.some((condition) => fits(condition, listing));
  if (holds(judged.best)) return 3;
  if (holds(judged.good)) return 2;
  return holds(judged.fair) ? 1 : 0;
}

function fits({ domain, words, also, category }: Condition, listing: Graded): boolean {
  const has = (some: string[]) => some.some((word) => listing.nameWords.has(word));
  return (
    (domain === undefined || domain === listing.domain) &&
    (category === undefined || category === listing.category) &&
    (words === undefined || has(words)) &&
    (also === undefined || has(also))
  );
}
