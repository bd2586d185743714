import { defineCommand } from '../../command.ts';
import { flag, option } from '../../declare.ts';
import { UsageError } from '../../failures.ts';
import { httpMethod, wholeNumber } from '../../values.ts';

export const verify = defineCommand({
  path: 'verify',
  summary: 'Say whether a signature is right, and if not, what is wrong with it.',
  details:
    'Takes the parts of a request, a pasted curl line with --curl, or with --har the signed requests of a file as browsers, proxies and API clients export it; with --webhook, the body and signature of a webhook. With --har, --json prints { entries }, a verdict for each. Exits 1 when something is wrong. Needs no running sandbox when the secret is given, or the key is the default credential; otherwise it asks for the secret.',
  options: {
    curl: option('--curl <line>', 'a curl command line, or @FILE, or - for stdin'),
    har: option('--har <file>', 'a HAR file, or - for stdin: every signed request in it'),
    entry: option('--entry <n>', 'the n-th entry of the HAR file alone', wholeNumber(1)),
    method: option('--method <method>', 'method of the request', httpMethod),
    path: option('--path <path>', 'path and query, as sent'),
    timestamp: option('--timestamp <value>', 'X-Service-Timestamp'),
    nonce: option('--nonce <value>', 'X-Service-Nonce'),
    signature: option('--signature <value>', 'X-Service-Signature'),
    data: option('--data <body>', 'body as sent: text, or @FILE, or @- for stdin'),
    keyId: option('--key-id <id>', 'key id, to look its secret up'),
    secret: option('--secret <secret>', 'secret that it is to be signed with'),
    webhook: flag('--webhook', 'it is the signature of a webhook'),
  },
  examples: [
    `sandlot request GET /api/partner/v1/orders --curl | sandlot verify --curl -`,
    'sandlot verify --curl @request.txt --secret dms_sandbox_local_not_a_secret',
    'sandlot verify --har recording.har',
    'sandlot verify --har recording.har --entry 2',
    'sandlot verify --method GET --path /api/partner/v1/orders --timestamp 1767603600 --nonce 8f14e45f --signature v1=0ff9',
    'sandlot verify --webhook --secret whsec_local --signature 0ff9 --data @body.json',
  ],
  async run(call) {
    const { options } = call;
    if (options.webhook) {
      const { verifyWebhook } = await import('./verify-webhook.ts');
      await verifyWebhook(call, options);
      return;
    }
    if (options.har !== undefined) {
      const { verifyHar } = await import('./verify-har.ts');
      await verifyHar(call, options.har, options);
      return;
    }
    if (options.entry !== undefined) throw new UsageError('--entry: expected --har beside it');
    const { verifyRequest } = await import('./verify-request.ts');
    await verifyRequest(call, options);
  },
});
