import type { MenuEntry, MenuGroup, RenderPage } from '../page.tsx';
import { clockPage } from './clock.tsx';
import { deliveries } from './deliveries.tsx';
import { findPage } from './find.tsx';
import * as lists from './lists.tsx';
import { orders } from './orders.tsx';
import { overviewPage } from './overview.tsx';
import { requests } from './requests.tsx';

const clock: MenuEntry = { path: '/dashboard/clock', name: 'Clock', render: clockPage };

/** The menu of the core. */
export const MENU: readonly MenuGroup[] = [
  { pages: [{ path: '/', name: 'Overview', render: overviewPage }] },
  { heading: 'Traffic', pages: [requests, lists.events, deliveries, lists.webhooks] },
  {
    heading: 'Sales',
    pages: [
      orders,
      lists.checkouts,
      lists.transactions,
      lists.brokerage,
      lists.settlements,
      lists.payouts,
    ],
  },
  {
    heading: 'Controls',
    pages: [clock, lists.faults, lists.inventory, lists.credentials, lists.worlds, lists.snapshots],
  },
];

/** Returns what renders the find page and the pages of a menu, by route: `/dashboard/orders/:id`. */
export function renderersOf(menu: readonly MenuGroup[]): Map<string, RenderPage> {
  return new Map([
    ['/dashboard/find', findPage] as const,
    ...menu.flatMap(({ pages }) =>
      pages.flatMap(({ path, render, detail }) => [
        [path, render] as const,
        ...(detail ? [[`${path}/:id`, detail] as const] : []),
      ]),
    ),
  ]);
}
