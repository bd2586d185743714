import { type CommandCall, type CommandModule, command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { argument, count, flag, text, value } from '../options.ts';
import { assignment, headerLine, httpMethod, requestTarget } from '../parsers/values.ts';

const REQUEST = {
  method: argument('<method>', 'GET, HEAD, POST, PUT, PATCH or DELETE', httpMethod),
  path: argument('<path>', 'Path, with its query if there is one', requestTarget),
};

const REQUEST_OPTIONS = {
  query: value(
    '--query <name=value>',
    'Query parameter to add; repeatable',
    assignment,
  ).repeatable(),
  data: text('--data <json>', 'Body: JSON, @FILE to send a file as it is, or @- for stdin'),
  as: text('--as <key-id>', 'Sign with this credential'),
  header: value('--header <header>', "Header, 'Name: value'; repeatable", headerLine).repeatable(),
  idempotencyKey: text('--idempotency-key <key>', 'Send this Idempotency-Key'),
  curl: flag('--curl', 'Print a curl command instead of sending'),
};
export type RequestCall = CommandCall<typeof REQUEST, typeof REQUEST_OPTIONS>;

const request = command('request', {
  summary: 'Sign a partner API request and send it.',
  details:
    'Signs with --as, or with SANDLOT_KEY_ID and SANDLOT_SECRET, or with the default credential. Prints the status on stderr and the body on stdout, and exits 1 unless the status is 2xx. If the endpoint requires an Idempotency-Key and you pass none, a new one is sent and printed on stderr. --json prints { status, headers, body }. --curl sends nothing and prints the request as a curl command, valid for 300 seconds and one use.',
  args: REQUEST,
  options: REQUEST_OPTIONS,
  examples: [
    'sandlot request GET /api/partner/v1/domains/search --query q=coffee',
    `sandlot request GET '/api/partner/v1/pricing?domain=held-order.test' --curl`,
    `sandlot request POST /api/partner/v1/quotes --data '{"domain":"held-order.test"}'`,
    'sandlot request POST /api/partner/v1/orders --data @order.json --idempotency-key order-1',
  ],
  run: async (call) => (await import('./signing/send-request.ts')).sendRequest(call),
});

const SIGN_OPTIONS = {
  data: text('--data <json>', 'Body: JSON, @FILE, or @- for stdin'),
  keyId: text('--key-id <id>', 'Key ID'),
  secret: text('--secret <secret>', 'Secret of the key'),
  timestamp: text('--timestamp <seconds>', 'Unix time in seconds (default: now)'),
  nonce: text('--nonce <nonce>', 'Nonce (default: a new UUID)'),
};
export type SignCall = CommandCall<typeof REQUEST, typeof SIGN_OPTIONS>;

const sign = command('sign', {
  summary: 'Print the canonical string and the headers of a request, without sending it.',
  details:
    'Needs no running sandbox. Signs with --key-id and --secret, or with SANDLOT_KEY_ID and SANDLOT_SECRET, or with the default credential.',
  args: REQUEST,
  options: SIGN_OPTIONS,
  examples: [
    `sandlot sign GET '/api/partner/v1/pricing?domain=held-order.test'`,
    `sandlot sign POST /api/partner/v1/quotes --data '{"domain":"held-order.test"}'`,
    'sandlot sign GET /api/partner/v1/orders --timestamp 1767603600 --nonce 8f14e45f --json',
  ],
  run: async (call) => (await import('./signing/sign-offline.ts')).signOffline(call),
});

const VERIFY_OPTIONS = {
  curl: text('--curl <command>', 'curl command, @FILE, or - for stdin'),
  har: text('--har <file>', 'HAR file, or - for stdin; verifies every signed request in it'),
  entry: count('--entry <n>', 'Only the nth entry of the HAR file', 1),
  method: value('--method <method>', 'Method of the request', httpMethod),
  path: text('--path <path>', 'Path and query, as sent'),
  timestamp: text('--timestamp <value>', 'X-Service-Timestamp'),
  nonce: text('--nonce <value>', 'X-Service-Nonce'),
  signature: text('--signature <value>', 'X-Service-Signature'),
  data: text('--data <body>', 'Body as sent: text, @FILE, or @- for stdin'),
  keyId: text('--key-id <id>', 'Key ID, to look up its secret'),
  secret: text('--secret <secret>', 'Secret to verify with'),
  webhook: flag('--webhook', 'Verify the signature of a webhook'),
};
export type VerifyCall = CommandCall<Record<never, never>, typeof VERIFY_OPTIONS>;

const verify = command('verify', {
  summary: 'Verify a signature, and explain what is wrong with it.',
  details:
    'Takes the parts of a request as options, a curl command with --curl, or the signed requests of a HAR file, as browsers, proxies and API clients export it, with --har. With --webhook, takes the body and signature of a webhook. --har --json prints { entries }, a result for each. Exits 1 if a signature is invalid. Needs no running sandbox if you pass the secret, or the key is the default credential; otherwise the sandbox returns the secret.',
  options: VERIFY_OPTIONS,
  examples: [
    `sandlot request GET /api/partner/v1/orders --curl | sandlot verify --curl -`,
    'sandlot verify --curl @request.txt --secret dms_sandbox_local_not_a_secret',
    'sandlot verify --har recording.har',
    'sandlot verify --har recording.har --entry 2',
    'sandlot verify --method GET --path /api/partner/v1/orders --timestamp 1767603600 --nonce 8f14e45f --signature v1=0ff9',
    'sandlot verify --webhook --secret whsec_local --signature 0ff9 --data @body.json',
  ],
  async run(call) {
    const { webhook, har, entry } = call.options;
    if (!webhook && har !== undefined) {
      return (await import('./signing/verify-har.ts')).verifyHar(call, har);
    }
    const { verifyRequest, verifyWebhook } = await import('./signing/verify.ts');
    if (webhook) return verifyWebhook(call);
    if (entry !== undefined) throw new UsageError('--entry: requires --har');
    await verifyRequest(call);
  },
});

export const signing: CommandModule = { group: 'Requests', commands: [request, sign, verify] };
