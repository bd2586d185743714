interface Section {
  title: string;
  /** First words of commands, with what the help says of those that are no command themselves. */
  topics: Readonly<Record<string, string>>;
}

/** How the help groups the commands, in order. */
export const SECTIONS: readonly Section[] = [
  {
    title: 'Server',
    topics: { start: '', stop: '', exec: '', init: '', status: '', health: '', doctor: '' },
  },
  { title: 'Credentials', topics: { credentials: 'Mint, show, approve and revoke keys.' } },
  {
    title: 'Inventory',
    topics: { inventory: 'What is for sale: look, add, change, import, export.' },
  },
  {
    title: 'Orders',
    topics: {
      orders: 'Look at orders and move them as the marketplace would.',
      settlements: 'Close settlement periods.',
    },
  },
  {
    title: 'Marketplace-collected sales and brokerage',
    topics: {
      checkout: 'Pay or cancel hosted checkouts.',
      transactions: 'Deliver and refund sales that the marketplace collected.',
      payouts: 'Pay commissions out.',
      brokerage: 'Move brokerage cases.',
    },
  },
  {
    title: 'Webhooks and events',
    topics: {
      webhooks: 'Send, receive and look into webhooks.',
      events: 'Look at events and deliver them again.',
    },
  },
  { title: 'Faults', topics: { faults: 'Inject errors, delays and lost connections.' } },
  { title: 'Time', topics: { clock: '', wait: '', idle: '' } },
  {
    title: 'Worlds',
    topics: {
      worlds: 'Isolated marketplaces on one server.',
      snapshots: 'Keep a world as it is, and come back to it.',
      reset: '',
      'rate-limits': 'Forget what was counted towards rate limits.',
    },
  },
  {
    title: 'Requests',
    topics: {
      requests: 'What was asked, how it was decided, what was answered.',
      logs: '',
      request: '',
      sign: '',
      verify: '',
      openapi: '',
    },
  },
  { title: 'Shell', topics: { completion: '' } },
];

/** Where the help lists a first word, and what it says of it. */
export function topicOf(word: string): { section: string; summary: string } {
  for (const { title, topics } of SECTIONS) {
    const summary = topics[word];
    if (summary !== undefined) return { section: title, summary };
  }
  return { section: 'Other', summary: '' };
}
