import type { CheckInfo } from '../check.ts';

export interface SaleCheck extends CheckInfo {
  id: SaleCheckId;
  /** The check whose order it goes on with. */
  needs: SaleCheckId | null;
}

export type SaleCheckId =
  | 'sale.recorded'
  | 'sale.duplicate'
  | 'sale.forged'
  | 'sale.retried'
  | 'sale.reordered'
  | 'sale.settled'
  | 'sale.held'
  | 'sale.refunded'
  | 'sale.caught_up'
  | 'sale.rotated';

export const SALE: readonly SaleCheck[] = [
  accepted('sale.recorded', 'an order is placed: order.recorded'),
  {
    ...accepted('sale.duplicate', 'order.recorded of that order, twice more', 'sale.recorded'),
    expected: { response: '200', effect: 'none' },
    meaning: 'The receiver processes an event again each time it arrives.',
    fix: 'Store each event id under a unique index, in the transaction of the effect.',
  },
  {
    ...accepted(
      'sale.forged',
      'order.transfer_started with a wrong signature, and 5 s later with the valid one',
      'sale.recorded',
    ),
    expected: { response: 'rejected', effect: 'none' },
    meaning: 'The receiver does not verify, or ignores the result.',
    fix: 'Respond 401 if verification fails, and do nothing else.',
  },
  accepted(
    'sale.retried',
    'order.transfer_completed, whose first attempt does not arrive, 5 s later',
    'sale.recorded',
  ),
  accepted(
    'sale.reordered',
    'order.transfer_completed of a second order before its order.transfer_started',
  ),
  accepted('sale.settled', 'a settlement run: order.settled', 'sale.retried'),
  accepted('sale.held', 'a third order, held and cleared: order.manual_review_cleared'),
  accepted('sale.refunded', 'a fourth order, refunded: order.refunded'),
  {
    ...accepted(
      'sale.caught_up',
      'nothing for 9 h: no attempt of order.recorded of a fifth order arrives',
    ),
    level: 'advice',
    expected: { response: 'any', effect: null },
    meaning: 'The integration reads GET /events, but misses an event.',
    fix: 'Pass the id of the last event you have processed as after_id, and follow next_cursor to the end.',
  },
  {
    ...accepted('sale.rotated', 'order.recorded once more, after --rotate', 'sale.recorded'),
    level: 'advice',
    meaning: 'The receiver does not verify with the secret that is registered.',
    fix: 'Accept the old and the new secret, register the new one, then drop the old one.',
  },
];

function accepted(id: SaleCheckId, sent: string, needs: SaleCheckId | null = null): SaleCheck {
  return {
    id,
    level: 'must',
    sent,
    expected: { response: '200', effect: null },
    meaning: null,
    fix: null,
    needs,
  };
}
