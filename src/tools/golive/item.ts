import type { Tone } from '../../kernel/columns.ts';

/** `must`: without it you lose orders, money or requests in production. */
export type Level = 'must' | 'advice';

export interface Item {
  /** `group.name` */
  id: string;
  level: Level;
  title: string;
  /** It applies only if all of these groups of features are used; any feature of a group is enough. */
  needs: readonly (readonly Feature[])[];
  /** For families: it applies only if this operation was requested. */
  operation?: { name: string; method: string; path: string };
  /** Raised when the meaning of its evidence changes. */
  rev: number;
  /** The version of the item list that it joined. */
  since: number;
  /**
   * What to do to see it, in order: sentences, and commands, which begin with `sandlot`. `P` stands for a path that the
   * integration used.
   */
  steps: readonly string[];
  /** When it is met, for people. */
  met: string;
  /** Absent if it cannot be contradicted. */
  contradicted?: string | undefined;
}

export const COMPLETE_ORDER = 'sandlot orders advance ID --to TRANSFER_COMPLETED';

/** `sale` of `sale.lost_response`. */
export function groupOf(id: string): string {
  return id.slice(0, id.indexOf('.'));
}

/** The parts of the API, with the observations that show their use: any one of them is enough. */
export const FEATURES = {
  sales: ['call.postOrder'],
  price_orders: ['sale.price_refreshed'],
  quotes: ['call.postQuote'],
  refunds: ['call.postRefund'],
  discovery: ['call.searchDomains', 'call.showDomain', 'call.showAvailability', 'call.showPricing'],
  history: ['call.getEvents'],
  checkout: ['call.postCheckoutSession'],
  brokerage: ['call.getEligibility', 'call.postBrokerage'],
  referral: ['call.postLink', 'call.getLinks'],
  webhooks: ['hook.status_200'],
} as const satisfies Record<string, readonly string[]>;

export type Feature = keyof typeof FEATURES;

export const FEATURE_NAMES = Object.keys(FEATURES) as [Feature, ...Feature[]];

export const STATUSES = ['contradicted', 'met', 'unmet', 'not_applicable'] as const;
export type Status = (typeof STATUSES)[number];

export const STATUS_TONES: Readonly<Record<Status, Tone>> = {
  contradicted: 'error',
  met: 'success',
  unmet: 'warning',
  not_applicable: 'neutral',
};
