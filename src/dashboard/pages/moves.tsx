import type { OpenMoves } from '../../market/orders/operate.ts';
import { Act } from '../parts/act.tsx';
import { type Place, segment } from '../place.ts';

type Move = OpenMoves['open_moves'][number];

interface Moved {
  public_id: string;
  domain: string;
  partner_id: string;
}

/** What stands on the button of a move; a move that is not listed here shows its own name. */
const LABELS: Partial<Record<Move['action'], string>> = {
  hold: 'Hold',
  clear: 'Clear review',
  start_transfer: 'Start transfer',
  complete_transfer: 'Complete transfer',
  settle: 'Run settlement',
  refund: 'Refund',
  cancel: 'Cancel',
};

/** A button for a move that is open; the control door said so. */
export function MoveButton({
  at,
  order,
  move: { action, to: reached },
  kind,
}: {
  at: Place;
  order: Moved;
  move: Move;
  kind?: string;
}) {
  const label = LABELS[action] ?? action;
  const done = `${order.domain} is now ${reached}`;
  const about = `of ${order.domain}`;
  // An order settles with all others of its partner that are completed.
  if (action === 'settle') {
    return (
      <Act
        at={at}
        call="POST /settlements/run"
        send={{ partner_id: order.partner_id }}
        done={`The completed orders of ${order.partner_id} are settled`}
        about={`for ${order.partner_id}`}
        {...(kind && { kind })}
      >
        {label}
      </Act>
    );
  }
  const ends = action === 'refund' || action === 'cancel';
  return (
    <Act
      at={at}
      call={`POST /orders/${segment(order.public_id)}/advance`}
      send={{ action }}
      done={done}
      about={about}
      confirm={ends ? `${label} the order of ${order.domain}? It is final.` : undefined}
      {...(kind && { kind })}
    >
      {label}
    </Act>
  );
}
