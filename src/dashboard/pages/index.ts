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
    pages: [{ path: '/', name: 'Overview', render: overviewPage }],
  },
  {
    heading: 'Traffic',
    pages: [
      entry('Requests', requestsPage, requestPage),
      entry('Events', eventsPage),
      entry('Deliveries', deliveriesPage, deliveryPage),
    ],
  },
  {
    heading: 'Sales',
    pages: [
      entry('Orders', ordersPage, orderPage),
      entry('Quotes', quotePages.render, quotePages.detail),
      entry('Checkouts', checkoutPages.render, checkoutPages.detail),
      entry('Transactions', transactionPages.render, transactionPages.detail),
      entry('Brokerage', brokeragePages.render, brokeragePages.detail),
      entry('Settlements', settlementPages.render, settlementPages.detail),
      entry('Payouts', payoutPages.render, payoutPages.detail),
    ],
  },
  {
    heading: 'Controls',
    pages: [
      entry('Clock', clockPage),
      entry('Faults', faultsPage),
      entry('Inventory', inventoryPage),
      entry('Credentials', credentialsPage),
      entry('Worlds', worldsPage),
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

function entry(name: string, render: RenderPage, detail?: RenderPage): MenuEntry {
  const path = `/dashboard/${name.toLowerCase()}`;
  return { path, name, render, ...(detail && { detail }) };
}
