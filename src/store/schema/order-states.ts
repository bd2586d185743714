import type { Tone } from '../../kernel/columns.ts';

export const TRANSFER_STATUSES = [
  'pending',
  'held',
  'in_progress',
  'completed',
  'cancelled',
] as const;

interface OrderState<Action extends string = string, Status extends string = string> {
  /** `transfer_status` of the order detail. */
  transfer: (typeof TRANSFER_STATUSES)[number];
  tone: Tone;
  /** Whether it counts as a sale; if not, its domain is listed again. */
  sold: boolean;
  /** The move that brings the order one step closer to its buyer. */
  next?: Action;
  /** Open moves: action → next state. */
  moves: Readonly<Partial<Record<Action, Status>>>;
}

/** The states of an order and the moves between them. `order-actions.ts` implements the actions. */
export const ORDER_STATES = {
  EXTERNALLY_PAID: {
    transfer: 'pending',
    tone: 'neutral',
    sold: true,
    next: 'start_transfer',
    moves: {
      hold: 'MANUAL_REVIEW',
      start_transfer: 'TRANSFER_IN_PROGRESS',
      refund: 'REFUNDED',
      cancel: 'CANCELLED',
    },
  },
  MANUAL_REVIEW: {
    transfer: 'held',
    tone: 'warning',
    sold: true,
    next: 'clear',
    moves: { clear: 'EXTERNALLY_PAID', refund: 'REFUNDED', cancel: 'CANCELLED' },
  },
  TRANSFER_IN_PROGRESS: {
    transfer: 'in_progress',
    tone: 'neutral',
    sold: true,
    next: 'complete_transfer',
    moves: { complete_transfer: 'TRANSFER_COMPLETED', refund: 'REFUNDED', cancel: 'CANCELLED' },
  },
  TRANSFER_COMPLETED: {
    transfer: 'completed',
    tone: 'success',
    sold: true,
    moves: { settle: 'SETTLED' },
  },
  SETTLED: { transfer: 'completed', tone: 'success', sold: true, moves: {} },
  REFUNDED: { transfer: 'cancelled', tone: 'error', sold: false, moves: {} },
  CANCELLED: { transfer: 'cancelled', tone: 'error', sold: false, moves: {} },
} as const satisfies Record<string, OrderState>;

export type OrderStatus = keyof typeof ORDER_STATES;

type MovesOf<State extends OrderStatus> = keyof (typeof ORDER_STATES)[State]['moves'];

export type MoveAction = { [State in OrderStatus]: MovesOf<State> }[OrderStatus];

export const ORDER_STATUSES = Object.keys(ORDER_STATES) as [OrderStatus, ...OrderStatus[]];

/** The state of a newly recorded order. */
export const FIRST_ORDER_STATUS: OrderStatus = 'EXTERNALLY_PAID';

export function orderState(status: OrderStatus): OrderState<MoveAction, OrderStatus> {
  return ORDER_STATES[status];
}
