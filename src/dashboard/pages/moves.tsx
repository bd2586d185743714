import type { ControlOrder } from '../../market/orders/order.ts';
import { ORDER_ACTIONS } from '../../market/orders/order-actions.ts';
import { Act } from '../parts/act.tsx';
import { type Place, segment } from '../place.ts';

type Move = ControlOrder['open_moves'][number];

interface Moved {
  public_id: string;
  domain: string;
  partner_id: string;
}

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
  const { label } = ORDER_ACTIONS[action];
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
