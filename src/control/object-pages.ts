import type { UrlQuery } from '../world/urls.ts';

/** A page of the dashboard. */
export interface ObjectPage {
  /** Below `/_sandbox`. */
  path: string;
  query?: UrlQuery;
}

/** Lists of the dashboard with a page for each item, by the prefix of their ids; a test compares them with its menu. */
const LISTS: Readonly<Record<string, string>> = {
  ord: 'orders',
  cs: 'checkouts',
  txn: 'transactions',
  brk: 'brokerage',
  stm: 'settlements',
  pay: 'payouts',
  req: 'requests',
  dlv: 'deliveries',
};

/** Returns the page that shows the object of an id, if there is one. */
export function pageOf(id: string): ObjectPage | undefined {
  const prefix = id.slice(0, id.indexOf('_'));
  if (prefix === 'evt') return { path: '/dashboard/events', query: { event_id: id } };
  if (prefix === 'flt') return { path: '/dashboard/faults' };
  if (prefix === 'ptr') return { path: '/dashboard/credentials' };
  if (prefix === 'lnk') return { path: '/dashboard/requests', query: { text: id } };
  const list = Object.hasOwn(LISTS, prefix) ? LISTS[prefix] : undefined;
  return list === undefined ? undefined : { path: `/dashboard/${list}/${encodeURIComponent(id)}` };
}
