import { defineCommand } from '../../command.ts';
import { argument, option } from '../../declare.ts';
import { httpMethod, requestTarget } from '../../values.ts';

export const sign = defineCommand({
  path: 'sign',
  summary: 'Print the canonical string and the headers of a request; sends nothing.',
  details:
    'Needs no running sandbox. Signs with --key-id and --secret, else with SANDLOT_KEY_ID and SANDLOT_SECRET, else with the default credential.',
  args: {
    method: argument('GET, HEAD, POST, PUT, PATCH or DELETE', httpMethod),
    path: argument('path, with its query if it has one', requestTarget),
  },
  options: {
    data: option('--data <json>', 'body: JSON, or @FILE, or @- for stdin'),
    keyId: option('--key-id <id>', 'key id'),
    secret: option('--secret <secret>', 'secret of that key'),
    timestamp: option('--timestamp <seconds>', 'Unix seconds (default: now)'),
    nonce: option('--nonce <nonce>', 'nonce (default: a fresh UUID)'),
  },
  examples: [
    `sandlot sign GET '/api/partner/v1/pricing?domain=held-order.test'`,
    `sandlot sign POST /api/partner/v1/quotes --data '{"domain":"held-order.test"}'`,
    'sandlot sign GET /api/partner/v1/orders --timestamp 1767603600 --nonce 8f14e45f --json',
  ],
  async run(call) {
    const { signOffline } = await import('./sign-offline.ts');
    await signOffline(call, call.args, call.options);
  },
});
