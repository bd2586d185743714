import type { EventType } from '../../events/catalogue.ts';
import type { OrderStatus } from '../../store/schema/words.ts';

export type OrderAction =
  | 'record'
  | 'hold'
  | 'clear'
  | 'start_transfer'
  | 'complete_transfer'
  | 'settle'
  | 'refund'
  | 'cancel';

export interface Transition {
  action: OrderAction;
  from: OrderStatus | null;
  to: OrderStatus;
  event: EventType | null;
}

const REFUNDABLE = ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'TRANSFER_IN_PROGRESS'] as const;

/** The whole state machine of an order (decisions, "State machine"). Nothing else moves one. */
export const TRANSITIONS: readonly Transition[] = [
  move('record', null, 'EXTERNALLY_PAID', 'order.recorded'),
  // The specification lists no event for a hold.
  move('hold', 'EXTERNALLY_PAID', 'MANUAL_REVIEW', null),
  move('clear', 'MANUAL_REVIEW', 'EXTERNALLY_PAID', 'order.manual_review_cleared'),
  move('start_transfer', 'EXTERNALLY_PAID', 'TRANSFER_IN_PROGRESS', 'order.transfer_started'),
  move(
    'complete_transfer',
    'TRANSFER_IN_PROGRESS',
    'TRANSFER_COMPLETED',
    'order.transfer_completed',
  ),
  move('settle', 'TRANSFER_COMPLETED', 'SETTLED', 'order.settled'),
  ...REFUNDABLE.map((from) => move('refund', from, 'REFUNDED', 'order.refunded')),
  ...REFUNDABLE.map((from) => move('cancel', from, 'CANCELLED', 'order.refunded')),
];

/** Actions that an operator takes on a recorded order; `settle` belongs to the settlement run. */
export const OPERATOR_ACTIONS = [
  'hold',
  'clear',
  'start_transfer',
  'complete_transfer',
  'refund',
  'cancel',
] as const satisfies readonly OrderAction[];
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

/** The one step that brings an order nearer to its buyer. */
const FORWARD: readonly OrderAction[] = ['clear', 'start_transfer', 'complete_transfer'];

export function findTransition(
  from: OrderStatus | null,
  action: OrderAction,
): Transition | undefined {
  return TRANSITIONS.find((each) => each.from === from && each.action === action);
}

/** The moves that are open from a state, the settlement run's included. */
export function openMoves(from: OrderStatus): Transition[] {
  return TRANSITIONS.filter((each) => each.from === from);
}

export function forwardAction(from: OrderStatus): OrderAction | undefined {
  return openMoves(from).find((each) => FORWARD.includes(each.action))?.action;
}

/**
 * The shortest legal walk between two states.
 * @returns its transitions in order, empty when `from` is `to`; undefined when there is none
 */
export function pathTo(from: OrderStatus, to: OrderStatus): Transition[] | undefined {
  const routes: { at: OrderStatus; path: Transition[] }[] = [{ at: from, path: [] }];
  const seen = new Set<OrderStatus>([from]);
  for (const { at, path } of routes) {
    if (at === to) return path;
    for (const transition of openMoves(at)) {
      if (seen.has(transition.to)) continue;
      seen.add(transition.to);
      routes.push({ at: transition.to, path: [...path, transition] });
    }
  }
  return undefined;
}

function move(
  action: OrderAction,
  from: OrderStatus | null,
  to: OrderStatus,
  event: EventType | null,
): Transition {
  return { action, from, to, event };
}
