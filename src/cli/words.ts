import { TRANSITIONS } from '../market/orders/transitions.ts';
import type { DeliveryStatus } from '../store/schema/events.ts';
import type { Environment, Scope } from '../store/schema/partners.ts';

/**
 * Words that options choose from. Those of the store are said again, since reading them there would load the
 * database for every command; a test holds them together.
 */
export const SCOPE_WORDS = [
  'search',
  'embed',
  'buy',
  'broker',
  'refer',
  'report',
  'webhook',
] as const satisfies readonly Scope[];

export const ENVIRONMENT_WORDS = ['SANDBOX', 'LIVE'] as const satisfies readonly Environment[];

export const DELIVERY_STATUS_WORDS = [
  'pending',
  'delivered',
  'failed',
] as const satisfies readonly DeliveryStatus[];

/** Every state that an order can be in. */
export const ORDER_STATUS_WORDS = [...new Set(TRANSITIONS.map(({ to }) => to))];
