import { action, type CommandModule, command, exampleId, list } from '../command.ts';
import { optionsOf } from '../endpoints.ts';
import { argument, count, flag, nonEmpty } from '../options.ts';
import { formatComparison, formatRequest } from './requests/format-request.ts';

/** In the world in which the tests run examples: 1 registers a webhook, 2 is an order, and 3 a call of the control API. */
const REQUEST_ID = exampleId('req', 2);

const showRequest = action('requests show', 'GET /requests/{id}', {
  summary: 'Show a request, the checks that it passed or failed, and its response.',
  details:
    'Shows each check in order with its result, and the canonical string that the server compared the signature with. Secrets and signatures are redacted.',
  args: { id: argument('<id>', 'Request ID') },
  examples: [`sandlot requests show ${REQUEST_ID}`],
  format: formatRequest,
});

const diffRequests = action('requests diff', 'GET /requests/{id}/diff', {
  summary: 'Compare two requests, or one with the most similar one that succeeded.',
  details:
    'Compares what was sent, the canonical strings line by line, the checks and the responses; JSON by its structure. IDs, times, nonces, signatures and tokens always differ, and are listed separately. With one ID, compares it with the request of the same operation that succeeded and differs least, of the same credential if one did. Exits with 1 if the requests differ.',
  args: {
    id: argument('<a>', 'Request ID'),
    with: argument('[b]', 'Request ID'),
  },
  examples: [
    `sandlot requests diff ${REQUEST_ID} ${exampleId('req', 3)}`,
    `sandlot requests diff ${REQUEST_ID}`,
  ],
  format: formatComparison,
  problem: ({ same }) => (same ? undefined : 'the requests differ'),
});

const logs = command('logs', {
  readOnly: true,
  summary: 'Print the last requests, oldest first, and with --follow each new one.',
  details:
    'Prints a line for each request, with the reason of a rejection. --json prints one JSON object per line. Ctrl-C ends --follow.',
  options: {
    ...optionsOf('GET /requests/stream'),
    limit: count('--limit <count>', 'Print this many earlier requests', 0, 100).withDefault('10'),
    follow: flag('--follow', 'Wait for new requests'),
  },
  examples: ['sandlot logs', 'sandlot logs --where status:4xx --limit 3 --json'],
  async run(call) {
    const { followLog } = await import('./requests/follow-log.ts');
    const { limit, follow, ...filters } = call.options;
    await followLog(call, { limit, follow }, filters);
  },
});

const ORDER_ID = exampleId('ord');

export const requests: CommandModule = {
  group: 'Requests',
  nouns: { requests: 'List and inspect logged requests.' },
  commands: [
    list('find', 'GET /find', {
      details:
        'Takes an ID of any kind, a domain, a key ID, an external_payment_ref, an Idempotency-Key or a nonce. Other text is searched in requests, events and deliveries. Filters are those of "requests list --where". The search box of the dashboard finds the same.',
      args: { q: argument('<text...>', 'ID, name, text or filters', nonEmpty) },
      input: ({ args, options }) => ({ q: args.q.join(' '), ...options }),
      resource: async () => (await import('../../control/find-result.ts')).findResult,
      empty: 'nothing found',
      examples: [
        `sandlot find ${ORDER_ID}`,
        'sandlot find held-order.test',
        "sandlot find 'status:4xx -code:conflict path:/orders'",
      ],
    }),
    list('requests list', 'GET /requests', {
      details:
        'Lists requests of the partner API and of hosted pages; --api all adds control API calls, except GET, idle, wait, stop and "requests clear", which are not logged. The log keeps the newest 10,000 requests, also across restarts. "sandlot requests show ID" explains a response.',
      resource: async () => (await import('../../requests/logged-request.ts')).loggedRequest,
      examples: [
        'sandlot requests list',
        "sandlot requests list --where 'status:4xx path:/orders'",
        'sandlot requests list --api control',
        'sandlot requests list --where code:invalid_signature --limit 1 --json',
      ],
    }),
    showRequest,
    diffRequests,
    action('requests clear', 'DELETE /requests', {
      discardsState: () => true,
      format: () => 'Deleted the request log',
    }),
    logs,
  ],
};
