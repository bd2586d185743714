import { UnreachableError } from '../../client/unreachable.ts';
import type { OpenApiDocument } from '../../control/endpoint.ts';
import { type CommandModule, command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { DEFAULT_URL } from '../locate.ts';
import { flag } from '../options.ts';
import { REQUEST, REQUEST_OPTIONS, SIGN_OPTIONS, VERIFY_OPTIONS } from './signing/options.ts';

const openapi = command('openapi', {
  readOnly: true,
  summary: 'Print the OpenAPI document of the partner API or the control API.',
  details:
    'Prints the document of the running sandbox, with its address. Without a sandbox, prints the document of this version of sandlot.',
  options: {
    control: flag('--control', 'Print the document of the control API'),
  },
  examples: ['sandlot openapi', 'sandlot openapi --control'],
  async run(call) {
    const document = await readDocument(call, call.options.control ? 'control' : 'partner');
    call.out.result(document, (result) => JSON.stringify(result, null, 2));
  },
});

async function readDocument(
  { control, out, tools }: CommandContext,
  api: 'partner' | 'control',
): Promise<OpenApiDocument> {
  try {
    return await control().get<OpenApiDocument>('/openapi.json', { api });
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    out.note(`${error.message}; the document has the default address`);
  }
  if (api === 'control') {
    const { controlDocument } = await import('../../openapi/control-document.ts');
    const { controlEndpoints } = await import('../../sandbox/tool.ts');
    return controlDocument(DEFAULT_URL, await controlEndpoints(tools));
  }
  const { partnerDocument } = await import('../../openapi/partner-document.ts');
  return partnerDocument(DEFAULT_URL);
}

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
    'Needs no running sandbox. Signs with --key-id and --secret, or with SANDLOT_KEY_ID and SANDLOT_SECRET, or with the default credential.',
  args: REQUEST,
  options: SIGN_OPTIONS,
  examples: [
    `sandlot sign GET '/api/partner/v1/pricing?domain=held-order.test'`,
    `sandlot sign POST /api/partner/v1/quotes --data '{"domain":"held-order.test"}'`,
    'sandlot sign GET /api/partner/v1/orders --timestamp 1767603600 --nonce 8f14e45f --json',
  ],
  run: async (call) => (await import('./signing/send-request.ts')).signOffline(call),
});

const verify = command('verify', {
  readOnly: true,
  summary: 'Verify a signature, and explain what is wrong with it.',
  details:
    'Takes the parts of a request as options. With --webhook, takes the body and signature of a webhook. Exits 1 if the signature is invalid. Needs no running sandbox if you pass the secret, or the key is the default credential; otherwise the sandbox returns the secret.',
  options: VERIFY_OPTIONS,
  examples: [
    'sandlot verify --method GET --path /api/partner/v1/orders --timestamp 1767603600 --nonce 8f14e45f --signature v1=0ff9',
    'sandlot verify --webhook --secret whsec_local --signature 0ff9 --data @body.json',
  ],
  async run(call) {
    const { verifyRequest, verifyWebhook } = await import('./signing/verify.ts');
    await (call.options.webhook ? verifyWebhook(call) : verifyRequest(call));
  },
});

export const signing: CommandModule = {
  group: 'Requests',
  commands: [request, sign, verify, openapi],
};
