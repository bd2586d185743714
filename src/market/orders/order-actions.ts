import type { EventType } from '../../events/event-types.ts';
import {
  FIRST_ORDER_STATUS,
  type MoveAction,
  ORDER_STATUSES,
  type OrderStatus,
  orderState,
} from '../../store/schema/order-states.ts';

interface Action {
  /** The text of a button. */
  label: string;
  /** The event that the move emits. The specification lists none for a hold, and one for refunded and cancelled. */
  event: EventType | null;
  /** Who takes it. A partner may also refund. */
  by: 'partner' | 'operator' | 'settlement run';
}

/** The actions on an order. `ORDER_STATES` says which states allow them. */
export const ORDER_ACTIONS = {
  record: { label: 'Record', event: 'order.recorded', by: 'partner' },
  hold: { label: 'Hold', event: null, by: 'operator' },
  clear: { label: 'Clear review', event: 'order.manual_review_cleared', by: 'operator' },
  start_transfer: { label: 'Start transfer', event: 'order.transfer_started', by: 'operator' },
  complete_transfer: {
    label: 'Complete transfer',
    event: 'order.transfer_completed',
    by: 'operator',
  },
  settle: { label: 'Run settlement', event: 'order.settled', by: 'settlement run' },
  refund: { label: 'Refund', event: 'order.refunded', by: 'operator' },
  cancel: { label: 'Cancel', event: 'order.refunded', by: 'operator' },
} as const satisfies Record<MoveAction | 'record', Action>;

export type OrderAction = keyof typeof ORDER_ACTIONS;

/** An action that an operator takes on a recorded order. */
export type ControlAction = {
  [Name in OrderAction]: (typeof ORDER_ACTIONS)[Name]['by'] extends 'operator' ? Name : never;
}[OrderAction];

export const ORDER_ACTION_NAMES = namesOf(ORDER_ACTIONS);

export const CONTROL_ACTIONS = ORDER_ACTION_NAMES.filter(
  (name) => ORDER_ACTIONS[name].by === 'operator',
) as [ControlAction, ...ControlAction[]];

export interface Transition {
  action: OrderAction;
  from: OrderStatus | null;
  to: OrderStatus;
  event: EventType | null;
}

export const RECORD: Transition = transition('record', null, FIRST_ORDER_STATUS);

export const TRANSITIONS: readonly Transition[] = [RECORD, ...ORDER_STATUSES.flatMap(openMoves)];

/** Returns the state after the first move that emits an event of this type; that of a new order if none does. */
export function statusAtEvent(type: EventType): OrderStatus {
  return TRANSITIONS.find(({ event }) => event === type)?.to ?? FIRST_ORDER_STATUS;
}

export function findTransition(from: OrderStatus, action: OrderAction): Transition | undefined {
  return openMoves(from).find((move) => move.action === action);
}

/** Returns the moves that a state allows, including the move of the settlement run. */
export function openMoves(from: OrderStatus): Transition[] {
  const { moves } = orderState(from);
  return namesOf(moves).flatMap((action) => {
    const to = moves[action];
    return to ? [transition(action, from, to)] : [];
  });
}

/** Returns the action that moves an order one step towards delivery and settlement. */
export function nextAction(from: OrderStatus): OrderAction | undefined {
  return orderState(from).next;
}

/**
 * Finds the shortest legal route between two states.
 * @returns its transitions in order; empty if `from` is `to`, undefined if there is no route
 */
export function routeTo(from: OrderStatus, to: OrderStatus): Transition[] | undefined {
  const routes: { at: OrderStatus; route: Transition[] }[] = [{ at: from, route: [] }];
  const seen = new Set<OrderStatus>([from]);
  // Breadth first: the loop also visits the routes that it adds.
  for (const { at, route } of routes) {
    if (at === to) return route;
    for (const move of openMoves(at)) {
      if (seen.has(move.to)) continue;
      seen.add(move.to);
      routes.push({ at: move.to, route: [...route, move] });
    }
  }
  return undefined;
}

function transition(action: OrderAction, from: OrderStatus | null, to: OrderStatus): Transition {
  return { action, from, to, event: ORDER_ACTIONS[action].event };
}

function namesOf<Table extends object>(table: Table): (keyof Table)[] {
  return Object.keys(table) as (keyof Table)[];
}
