interface Page {
  /** Below `/_sandbox`. */
  path: string;
  name: string;
  /** Pressed behind `g`, it leads there. */
  key: string;
}

/** Every page that one gets to from everywhere. */
export const NAVIGATION: readonly { heading?: string; pages: readonly Page[] }[] = [
  { pages: [{ path: '/', name: 'Overview', key: 'v' }] },
  {
    heading: 'Traffic',
    pages: [
      { path: '/dashboard/requests', name: 'Requests', key: 'r' },
      { path: '/dashboard/orders', name: 'Orders', key: 'o' },
      { path: '/dashboard/events', name: 'Events', key: 'e' },
      { path: '/dashboard/deliveries', name: 'Deliveries', key: 'd' },
    ],
  },
  {
    heading: 'Steering',
    pages: [
      { path: '/dashboard/clock', name: 'Clock', key: 't' },
      { path: '/dashboard/faults', name: 'Faults', key: 'f' },
      { path: '/dashboard/inventory', name: 'Inventory', key: 'i' },
      { path: '/dashboard/credentials', name: 'Credentials', key: 'c' },
      { path: '/dashboard/worlds', name: 'Worlds', key: 'w' },
    ],
  },
];
