import { defineCommand } from '../../command.ts';
import { argument, flag, option, repeatedOption } from '../../declare.ts';
import { assignment, headerLine, httpMethod, requestTarget } from '../../values.ts';

export const request = defineCommand({
  path: 'request',
  summary: 'Sign a request of the partner API and send it.',
  details:
    'Signs with --as, else with SANDLOT_KEY_ID and SANDLOT_SECRET, else with the default credential. The status line goes to stderr and the body to stdout; exits 1 unless the status is 2xx. Where the endpoint needs an Idempotency-Key and none is given, a new one is made and printed on stderr. With --json it prints { status, headers, body }. --curl sends nothing and prints the same request as a curl command line, good for 300 seconds and one use.',
  args: {
    method: argument('GET, HEAD, POST, PUT, PATCH or DELETE', httpMethod),
    path: argument('path, with its query if it has one', requestTarget),
  },
  options: {
    query: repeatedOption('--query <name=value>', 'add to the query; repeatable', assignment),
    data: option('--data <json>', 'body: JSON, or @FILE sent as it is, or @- for stdin'),
    as: option('--as <key-id>', 'sign with this credential'),
    header: repeatedOption('--header <header>', "'Name: value'; repeatable", headerLine),
    idempotencyKey: option('--idempotency-key <key>', 'send an Idempotency-Key header'),
    curl: flag('--curl', 'print a curl command line instead of sending'),
  },
  examples: [
    'sandlot request GET /api/partner/v1/domains/search --query q=coffee',
    `sandlot request GET '/api/partner/v1/pricing?domain=held-order.test' --curl`,
    `sandlot request POST /api/partner/v1/quotes --data '{"domain":"held-order.test"}'`,
    'sandlot request POST /api/partner/v1/orders --data @order.json --idempotency-key order-1',
  ],
  async run(call) {
    const { performRequest } = await import('./perform-request.ts');
    await performRequest(call, call.args, call.options);
  },
});
