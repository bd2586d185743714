import { action, type CommandModule, command } from '../command.ts';
import { flag } from '../options.ts';
import { REQUEST, REQUEST_OPTIONS, SIGN_OPTIONS, VERIFY_OPTIONS } from './signing/options.ts';

const openapi = action('openapi', 'GET /openapi.json', {
  summary: 'Print the OpenAPI document of the partner API or the control API.',
  optionFields: [],
  options: { control: flag('--control', 'Print the document of the control API') },
  input: ({ options }) => ({ api: options.control ? 'control' : 'partner' }),
  examples: ['sandlot openapi', 'sandlot openapi --control'],
  format: (document) => JSON.stringify(document, null, 2),
});

const request = command('request', {
  summary: 'Sign a partner API request and send it.',
  details:
    'Signs with --as, or with SANDLOT_KEY_ID and SANDLOT_SECRET, or with the default credential. Prints the status on stderr and the body on stdout, and exits 1 unless the status is 2xx. If the endpoint requires an Idempotency-Key and you pass none, a new one is sent and printed on stderr. --json prints { status, headers, body }. --field prints one field of the response, text without quotes, for a shell variable. --curl sends nothing and prints the request as a curl command, valid for 300 seconds and one use.',
  args: REQUEST,
  options: REQUEST_OPTIONS,
  examples: [
    'sandlot request GET /api/partner/v1/domains/search --query q=coffee',
    `sandlot request GET '/api/partner/v1/pricing?domain=held-order.test' --curl`,
    `sandlot request POST /api/partner/v1/quotes --data '{"domain":"held-order.test"}'`,
    'sandlot request GET /api/partner/v1/domains/search --query q=coffee --field domains.0.domain',
    'sandlot request POST /api/partner/v1/orders --data @order.json --idempotency-key order-1',
  ],
  run: async (call) => (await import('./signing/send-request.ts')).sendRequest(call),
});

const sign = command('sign', {
  readOnly: true,
  summary: 'Print the canonical string and the headers of a request, without sending it.',
  details:
    'Signs with --key-id and --secret, or with SANDLOT_KEY_ID and SANDLOT_SECRET, or with the default credential. Needs no running sandbox, except to look up the secret of a key ID.',
  args: REQUEST,
  options: SIGN_OPTIONS,
  examples: [
    `sandlot sign GET '/api/partner/v1/pricing?domain=held-order.test'`,
    `sandlot sign POST /api/partner/v1/quotes --data '{"domain":"held-order.test"}'`,
    'sandlot sign GET /api/partner/v1/orders --timestamp 1767603600 --nonce 8f14e45f --json',
  ],
  run: async (call) => (await import('./signing/send-request.ts')).printSigned(call),
});

const verify = command('verify', {
  readOnly: true,
  summary: 'Verify a signature, and explain what is wrong with it.',
  details:
    'Takes the parts of a request as options, and the credential as sandlot sign does. Exits 1 if the signature is invalid. Needs no running sandbox, except to look up the secret of a key ID.',
  options: VERIFY_OPTIONS,
  examples: [
    'sandlot verify --method GET --path /api/partner/v1/orders --timestamp 1767603600 --nonce 8f14e45f --signature v1=0ff9',
  ],
  run: async (call) => (await import('./signing/verify.ts')).verifyRequest(call),
});

export const signing: CommandModule = {
  group: 'Requests',
  commands: [request, sign, verify, openapi],
};
