import type { Page, PageContext } from '../page.tsx';
import { clockPage } from './clock.tsx';
import { credentialsPage } from './credentials.tsx';
import { deliveriesPage } from './deliveries.tsx';
import { deliveryPage } from './delivery.tsx';
import { eventsPage } from './events.tsx';
import { faultsPage } from './faults.tsx';
import { golivePage } from './golive.tsx';
import { inventoryPage } from './inventory.tsx';
import { orderPage } from './order.tsx';
import { ordersPage } from './orders.tsx';
import { overviewPage } from './overview.tsx';
import { requestPage } from './request.tsx';
import { requestsPage } from './requests.tsx';
import { worldsPage } from './worlds.tsx';

/** @param id of the item that a detail page shows */
type Render = (page: PageContext, id: string) => Promise<Page>;

interface Entry {
  /** Below `/_sandbox`. */
  path: string;
  name: string;
  /** Opens the page when pressed after `g`. */
  shortcut: string;
  render: Render;
  /** Renders the page of one item, at `path/:id`. */
  detail?: Render;
}

export const NAVIGATION: readonly { heading?: string; pages: readonly Entry[] }[] = [
  {
    pages: [
      { path: '/', name: 'Overview', shortcut: 'v', render: overviewPage },
      entry('Go-live', 'l', golivePage),
    ],
  },
  {
    heading: 'Traffic',
    pages: [
      entry('Requests', 'r', requestsPage, requestPage),
      entry('Orders', 'o', ordersPage, orderPage),
      entry('Events', 'e', eventsPage),
      entry('Deliveries', 'd', deliveriesPage, deliveryPage),
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

export const PAGES: Readonly<Record<string, Render>> = Object.fromEntries(
  NAVIGATION.flatMap(({ pages }) =>
    pages.flatMap(({ path, render, detail }) => [
      [path, render] as const,
      ...(detail ? [[`${path}/:id`, detail] as const] : []),
    ]),
  ),
);

function entry(name: string, shortcut: string, render: Render, detail?: Render): Entry {
  const path = `/dashboard/${name.toLowerCase()}`;
  return { path, name, shortcut, render, ...(detail && { detail }) };
}
