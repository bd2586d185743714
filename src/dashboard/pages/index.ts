import type { MenuEntry, MenuGroup, RenderPage } from '../page.tsx';
import { clockPage } from './clock.tsx';
import { credentialsPage } from './credentials.tsx';
import { deliveriesPage } from './deliveries.tsx';
import { deliveryPage } from './delivery.tsx';
import { eventsPage } from './events.tsx';
import { faultsPage } from './faults.tsx';
import { findPage } from './find.tsx';
import { inventoryPage } from './inventory.tsx';
import { orderPage } from './order.tsx';
import { ordersPage } from './orders.tsx';
import { overviewPage } from './overview.tsx';
import { requestPage } from './request.tsx';
import { requestsPage } from './requests.tsx';
import {
  brokeragePages,
  checkoutPages,
  payoutPages,
  quotePages,
  settlementPages,
  transactionPages,
} from './sales.tsx';
import { worldsPage } from './worlds.tsx';

/** The menu of the core. */
export const MENU: readonly MenuGroup[] = [
  {
    pages: [{ path: '/', name: 'Overview', shortcut: 'v', render: overviewPage }],
  },
  {
    heading: 'Traffic',
    pages: [
      entry('Requests', 'r', requestsPage, requestPage),
      entry('Events', 'e', eventsPage),
      entry('Deliveries', 'd', deliveriesPage, deliveryPage),
    ],
  },
  {
    heading: 'Sales',
    pages: [
      entry('Orders', 'o', ordersPage, orderPage),
      entry('Quotes', 'q', quotePages.render, quotePages.detail),
      entry('Checkouts', 'k', checkoutPages.render, checkoutPages.detail),
      entry('Transactions', 's', transactionPages.render, transactionPages.detail),
      entry('Brokerage', 'b', brokeragePages.render, brokeragePages.detail),
      entry('Settlements', 'm', settlementPages.render, settlementPages.detail),
      entry('Payouts', 'p', payoutPages.render, payoutPages.detail),
    ],
  },
  {
    heading: 'Controls',
    pages: [
      entry('Clock', 't', clockPage),
      entry('Faults', 'f', faultsPage),
      entry('Inventory', 'i', inventoryPage),
      entry('Credentials', 'c', credentialsPage),
      entry('Worlds', 'w', worldsPage),
    ],
  },
];

/** Returns how the pages of a menu are rendered, by path. */
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

function entry(name: string, shortcut: string, render: RenderPage, detail?: RenderPage): MenuEntry {
  const path = `/dashboard/${name.toLowerCase()}`;
  return { path, name, shortcut, render, ...(detail && { detail }) };
}
