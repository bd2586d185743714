import type { Tone } from '../../kernel/columns.ts';
import type { Operation } from './activity.ts';

/** An integration without a `must` item loses orders, money or requests in production. */
export type Level = 'must' | 'advice';

export interface Item {
  /** `group.name`, unique. It never changes: gate files name it. */
  id: string;
  level: Level;
  title: string;
  /** The item applies only if each of these was used. */
  needs?: readonly (Feature | Operation)[];
  /** Steps after which the item is met: sentences, and commands, which start with `sandlot`. */
  steps: readonly string[];
  /** What must happen for the item to be met, as a sentence. */
  met: string;
  /** What contradicts it, as a sentence; absent if nothing can. */
  contradicted?: string;
}

export const COMPLETE_ORDER = 'sandlot orders advance ID --to TRANSFER_COMPLETED';
export const COMMAND_PREFIX = 'sandlot ';

export function isCommand(step: string): boolean {
  return step.startsWith(COMMAND_PREFIX);
}

/** The parts of the API. Any of its uses shows a part: an operation, or another name that `Observer` adds to `used`. */
export const FEATURES = {
  sales: ['postOrder'],
  price_orders: ['price_order'],
  quotes: ['postQuote'],
  refunds: ['postRefund'],
  discovery: ['searchDomains', 'showDomain', 'showAvailability', 'showPricing'],
  history: ['getEvents'],
  checkout: ['postCheckoutSession'],
  brokerage: ['getEligibility', 'postBrokerage'],
  referral: ['postLink', 'getLinks'],
  // Only sales that the marketplace collects lead to payouts.
  payouts: ['postCheckoutSession', 'getEligibility', 'postBrokerage'],
  webhooks: ['attempt'],
} as const satisfies Record<string, readonly string[]>;

export type Feature = keyof typeof FEATURES;

export const STATUSES = ['contradicted', 'met', 'unmet', 'not_applicable'] as const;
type ItemStatus = (typeof STATUSES)[number];

export const STATUS_TONES: Readonly<Record<ItemStatus, Tone>> = {
  contradicted: 'error',
  met: 'success',
  unmet: 'warning',
  not_applicable: 'neutral',
};

/** What an observation says of its item. */
export type Result = 'met' | 'contradicted';
