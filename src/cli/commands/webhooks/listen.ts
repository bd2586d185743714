import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { Hono } from 'hono';
import { shellQuote } from '../../../client/curl.ts';
import type { Fetch } from '../../../client/fetch.ts';
import { connectionErrorOf } from '../../../client/unreachable.ts';
import { rawRequest } from '../../../http/request.ts';
import { type Listening, PortInUseError, serve } from '../../../http/serve.ts';
import { CodedError, messageOf } from '../../../kernel/errors.ts';
import { fieldsIn, parseShallowJson } from '../../../kernel/json.ts';
import { isoTime } from '../../../kernel/time.ts';
import { DEFAULT_CREDENTIAL } from '../../../market/defaults.ts';
import { verifyWebhook, WEBHOOK_SIGNATURE_HEADER } from '../../../signing/signature.ts';
import { LISTEN_SERVER, RECEIVER_TIMEOUT_MS } from '../../../webhooks/send.ts';
import type { CommandContext } from '../../context.ts';
import { callRoute } from '../../endpoints.ts';
import { CommandFailedError, UsageError } from '../../errors.ts';
import { oneLine } from '../../layout.ts';
import type { Formatter } from '../../output.ts';
import type { ListenOptions } from './listen-options.ts';

interface IncomingWebhook {
  body: Buffer<ArrayBuffer>;
  headers: Readonly<Record<string, string>>;
}

/** Receives webhooks until interrupted. */
export async function runReceiver(context: CommandContext, input: ListenOptions): Promise<void> {
  if (input.forward !== undefined && input.status !== undefined) {
    throw new UsageError('--forward and --status: pass one of them, not both');
  }
  const secret = input.secret ?? `whsec_${randomBytes(16).toString('hex')}`;
  const addressPrinted = Promise.withResolvers<void>();
  const server = await listen(input.port, async (webhook) => {
    // The address is the first line, even if a webhook arrives while it is registered.
    await addressPrinted.promise;
    return receive(context, input, secret, webhook);
  });
  const url = `http://127.0.0.1:${server.port}/`;
  let unregister = async () => {};
  // From here on, Ctrl-C does not end the process, which would leave the registration.
  const interruption = context.io.interruption();
  try {
    if (input.register) unregister = await register(context, { url, secret });
    // A secret that the user passed is not printed.
    const printedSecret = input.secret === undefined ? secret : null;
    printAddress(context, { url, secret: printedSecret, registered: input.register });
    addressPrinted.resolve();
    if (!interruption.aborted) await once(interruption, 'abort');
  } finally {
    addressPrinted.resolve();
    // Unregisters while the receiver still responds, so that no delivery fails.
    await unregister();
    await server.close();
  }
}

/** @throws CommandFailedError if the port is not available */
async function listen(
  port: number,
  respond: (webhook: IncomingWebhook) => Promise<Response>,
): Promise<Listening> {
  const app = new Hono();
  app.post('*', async (c) =>
    respond({ body: Buffer.from(await rawRequest(c).body()), headers: c.req.header() }),
  );
  app.all('*', (c) => c.text('send webhooks with POST\n', 405));
  app.onError((error) => {
    return new Response(null, { status: error instanceof CodedError ? error.status : 500 });
  });
  try {
    return await serve(app, '127.0.0.1', port);
  } catch (error) {
    const isInUse = error instanceof PortInUseError;
    const reason = isInUse ? 'it is in use; --port 0 selects a free one' : messageOf(error);
    throw new CommandFailedError(`cannot listen on port ${port}: ${reason}`);
  }
}

/** Verifies, responds to and prints a webhook. */
async function receive(
  { out, io }: CommandContext,
  input: ListenOptions,
  secret: string,
  webhook: IncomingWebhook,
): Promise<Response> {
  const receivedAt = isoTime(io.runtime.now());
  const problem = signatureProblem(secret, webhook);
  const status = input.status ?? (problem === null ? 200 : 401);
  const { response, problem: forwardProblem = null } =
    input.forward === undefined
      ? { response: new Response(null, { status, headers: { Server: LISTEN_SERVER } }) }
      : await forward(io.fetch, input.forward, webhook);
  const receipt: Receipt = {
    kind: 'event',
    received_at: receivedAt,
    ...eventIn(webhook.body),
    signature: { valid: problem === null, problem },
    response_status: response.status,
    forward_problem: forwardProblem,
  };
  out.item(receipt, formatReceipt);
  return response;
}

/** Returns why the signature of a webhook is invalid; null if it is valid. */
function signatureProblem(secret: string, { body, headers }: IncomingWebhook): string | null {
  const signature = headers[WEBHOOK_SIGNATURE_HEADER.toLowerCase()];
  if (!signature) return `the ${WEBHOOK_SIGNATURE_HEADER} header is missing`;
  if (verifyWebhook(secret, body, signature)) return null;
  return 'it does not match: the secret is different, or the body changed after signing';
}

/** Forwarded headers: those that a webhook is sent with, except Content-Length, which fetch sets. */
const WEBHOOK_HEADERS = ['content-type', 'user-agent', WEBHOOK_SIGNATURE_HEADER.toLowerCase()];

/** Forwards a webhook, byte for byte, and returns the response; 502 and the problem if there is none. */
async function forward(
  fetch: Fetch,
  url: string,
  { body, headers }: IncomingWebhook,
): Promise<{ response: Response; problem?: string }> {
  const entries = Object.entries(headers).filter(([name]) => WEBHOOK_HEADERS.includes(name));
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: Object.fromEntries(entries),
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(RECEIVER_TIMEOUT_MS),
    });
    const type = response.headers.get('content-type') ?? 'text/plain';
    const { status, body: content } = response;
    const received = content && ReadableStream.from(untilBroken(content));
    return { response: new Response(received, { status, headers: { 'Content-Type': type } }) };
  } catch (error) {
    const { code, message } = connectionErrorOf(error);
    const problem = `no response from ${url}: ${code ?? message}`;
    return { response: new Response(null, { status: 502 }), problem };
  }
}

/** Yields what arrives of a body. A webhook is delivered by the status, even if the body breaks off. */
async function* untilBroken(body: AsyncIterable<Uint8Array>) {
  try {
    yield* body;
  } catch {}
}

/** Returns a body and its event, as they are printed; fields are null if it is not an event. */
function eventIn(body: Buffer) {
  const bodyText = body.toString();
  const value = parseShallowJson(bodyText) ?? bodyText;
  const event = fieldsIn(value);
  const data = fieldsIn(event.data);
  const subject = fieldsIn(data.order ?? data.case);
  return {
    id: stringOrNull(event.id),
    type: stringOrNull(event.type),
    subject_id: stringOrNull(subject.public_id ?? subject.case_id),
    status: stringOrNull(subject.status),
    body: value,
  };
}

interface Receipt extends ReturnType<typeof eventIn> {
  kind: 'event';
  /** Real time. */
  received_at: string;
  signature: { valid: boolean; problem: string | null };
  response_status: number;
  /** Why --forward got no response. */
  forward_problem: string | null;
}

/** Formats a line: `09:00:00  order.settled  ord_…  SETTLED  ✓ signature  responded 200`. */
function formatReceipt(receipt: Receipt, { colors }: Formatter): string {
  const { signature, response_status: status, forward_problem: problem } = receipt;
  const parts = [
    colors.dim(receipt.received_at.slice(11, 19)),
    oneLine(receipt.type ?? 'not an event').padEnd(24),
    oneLine(receipt.subject_id),
    oneLine(receipt.status).padEnd(20),
    signature.valid
      ? colors.success('✓ signature')
      : colors.error(`✗ signature: ${signature.problem}`),
    `responded ${status}`,
    ...(problem === null ? [] : [colors.error(problem)]),
  ];
  return parts.join('  ');
}

function stringOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Registers a URL for the partner of SANDLOT_KEY_ID or the default credential. @returns a function that unregisters it */
async function register(
  context: CommandContext,
  { url, secret }: { url: string; secret: string },
): Promise<() => Promise<void>> {
  const key_id = context.variables.keyId ?? DEFAULT_CREDENTIAL.keyId;
  const route = 'GET /credentials/{key_id}';
  const { partner, environment, world } = await callRoute(context.control(), route, { key_id });
  const control = context.control().in(context.world ?? world);
  await control.put('/webhooks', { partner, environment, url, secret });
  return async () => {
    // Fails if the URL was replaced, or the sandbox has stopped.
    await control.delete('/webhooks', { partner, environment, url }).catch(() => {});
  };
}

function printAddress(
  { out, suggest }: CommandContext,
  receiver: { url: string; secret: string | null; registered: boolean },
) {
  if (out.json) return out.item({ kind: 'listening', ...receiver }, () => '');
  const { url, secret } = receiver;
  out.note(`Listening at ${url}${secret === null ? '' : ` (secret ${secret})`}`);
  if (receiver.registered) return;
  const body = JSON.stringify({ url, secret: secret ?? 'YOUR_SECRET' });
  const line = `request PUT /api/partner/webhooks --data ${shellQuote(body)}`;
  out.note(`Register it with: ${suggest(line)}`);
}
