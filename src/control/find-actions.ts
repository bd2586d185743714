import { requireEvent } from '../events/events.ts';
import { whyNotOf } from '../market/orders/operate.ts';
import { openMoves } from '../market/orders/order-actions.ts';
import { requireOrder } from '../market/orders/orders.ts';
import { ORDER_STATUSES } from '../store/schema/enums.ts';
import type { Tx } from '../store/transaction.ts';
import { requireDelivery } from '../webhooks/deliveries.ts';
import type { World } from '../world/world.ts';
import { matchOf } from './find-objects.ts';
import type { Match } from './find-result.ts';

/** Returns the titles of actions on an object. @throws not_found */
type ListActions = (tx: Tx, id: string, word: string) => string[];

const move: (verb: string) => ListActions = (verb) => (tx, id) => {
  const { status } = requireOrder(tx, id);
  const moves = openMoves(status).filter(({ action }) => verb === 'advance' || action === verb);
  const titles = moves.map(
    ({ action, to }) => `${action} to ${to}: sandlot orders advance ${id} --action ${action}`,
  );
  return titles.length > 0 ? titles : [`not possible: ${status}`];
};

const ACTIONS: Readonly<Record<string, { idPrefix: string; actions: ListActions }>> = {
  ...Object.fromEntries(
    ['advance', 'hold', 'clear', 'refund', 'cancel'].map((verb) => [
      verb,
      { idPrefix: 'ord_', actions: move(verb) },
    ]),
  ),
  'why-not': {
    idPrefix: 'ord_',
    actions: (tx, id, word) => {
      const order = requireOrder(tx, id);
      const states = ORDER_STATUSES.filter((state) => word === '' || state === word.toUpperCase());
      return states
        .filter((state) => word !== '' || state !== order.status)
        .map((state) => `${state}: ${whyNotOf(order, state).reason}`);
    },
  },
  resend: {
    idPrefix: 'evt_',
    actions: (tx, id) => [`send ${requireEvent(tx, id).type} again: sandlot events resend ${id}`],
  },
  retry: {
    idPrefix: 'dlv_',
    actions: (tx, id) => [
      `${requireDelivery(tx, id).status}, try again: sandlot webhooks retry ${id}`,
    ],
  },
};

/** Lists the actions of a text such as `advance ord_…`; undefined if it does not begin with a verb and an id. */
export function findActions(text: string, world: World): Match[] | undefined {
  const [verb = '', id = '', word = ''] = text.split(' ');
  const entry = Object.hasOwn(ACTIONS, verb) ? ACTIONS[verb] : undefined;
  if (!entry || !id.startsWith(entry.idPrefix)) return undefined;
  const titles = world.read((tx) => entry.actions(tx, id, word));
  return titles.map((title) => matchOf(world, 'action', { id, title }));
}
