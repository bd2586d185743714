import { randomBytes } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { ControlApiError } from '../../../client/control-client.ts';
import type { Fetch } from '../../../client/fetch.ts';
import { UnreachableError } from '../../../client/unreachable.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { parseJson } from '../../../kernel/json.ts';
import { isoTime } from '../../../kernel/time.ts';
import type { ControlCredential } from '../../../market/partners/credential.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../../../signing/signature.ts';
import type { ControlRegistration } from '../../../webhooks/registration.ts';
import { LISTEN_SERVER } from '../../../webhooks/send.ts';
import type { CommandContext } from '../../context.ts';
import { CheckFailedError, UsageError } from '../../errors.ts';
import { oneLine } from '../../layout.ts';
import type { Formatter } from '../../output.ts';
import { fetchJson, signingKey, signNow } from '../../partner-call.ts';
import { readServerEvents } from '../requests/follow-log.ts';
import { checkWebhookSignature, type SignatureResult } from '../webhook-signature.ts';
import type { ListenOptions } from './listen-options.ts';

interface Incoming {
  body: Buffer<ArrayBuffer>;
  headers: http.IncomingHttpHeaders;
}

interface ReceiverResponse {
  status: number;
  body?: Buffer;
  contentType?: string | undefined;
  server?: string;
}

interface Receiver {
  url: string;
  /** Resolves when all requests have a response. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Listens on loopback for POST requests.
 * @param port 0 picks a free one
 * @param respond if it throws, the response is a 500
 * @throws CheckFailedError if the port is not available
 */
async function startReceiver(
  port: number,
  respond: (incoming: Incoming) => Promise<ReceiverResponse>,
): Promise<Receiver> {
  const server = http.createServer((request, response) => {
    void handle(request, respond).then(({ status, body, contentType, server: name }) => {
      // An open connection would delay `close`.
      response.setHeader('Connection', 'close');
      if (name !== undefined) response.setHeader('Server', name);
      if (contentType !== undefined) response.setHeader('Content-Type', contentType);
      response.writeHead(status).end(body);
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason =
        error.code === 'EADDRINUSE' ? 'it is in use; --port 0 selects a free one' : error.message;
      reject(new CheckFailedError(`cannot listen on port ${port}: ${reason}`));
    });
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: boundPort } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${boundPort}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

async function handle(
  request: http.IncomingMessage,
  respond: (incoming: Incoming) => Promise<ReceiverResponse>,
): Promise<ReceiverResponse> {
  if (request.method !== 'POST')
    return { status: 405, body: Buffer.from('send webhooks with POST\n') };
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) return { status: 413 };
      chunks.push(chunk);
    }
    return await respond({ body: Buffer.concat(chunks), headers: request.headers });
  } catch {
    return { status: 500 };
  }
}

/** Headers that belong to one connection, and are not forwarded. */
const CONNECTION_HEADERS = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
]);
const FORWARD_TIMEOUT_MS = 30_000;

/** Forwards a webhook, byte for byte, and returns the response; 502 if there is none. */
async function forward(
  fetch: Fetch,
  url: string,
  { body, headers }: Incoming,
): Promise<ReceiverResponse & { problem?: string }> {
  const forwardedHeaders: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !CONNECTION_HEADERS.has(name)) forwardedHeaders[name] = value;
  }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: forwardedHeaders,
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(FORWARD_TIMEOUT_MS),
    });
    return {
      status: response.status,
      body: Buffer.from(await response.arrayBuffer()),
      contentType: response.headers.get('content-type') ?? undefined,
    };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const { code, message } = cause as { code?: string; message?: string };
    return { status: 502, problem: `no response from ${url}: ${code ?? message}` };
  }
}

/** Returns a webhook as it is printed; fields are null if the body is not an event. @param at real time */
function receiptOf(
  body: Buffer,
  signature: SignatureResult,
  at: string,
  { status, problem }: ReceiverResponse & { problem?: string },
) {
  const bodyText = body.toString();
  const value = parseJson(bodyText, bodyText);
  const event = fieldsOf(value);
  const data = fieldsOf(event.data);
  const order = fieldsOf(data.order);
  const brokerageCase = fieldsOf(data.case);
  return {
    kind: 'event' as const,
    received_at: at,
    id: text(event.id),
    type: text(event.type),
    subject_id: text(order.public_id) ?? text(brokerageCase.case_id),
    status: text(order.status) ?? text(brokerageCase.status),
    signature: { valid: signature.valid, problem: signature.problem },
    response_status: status,
    // Why --forward got no response.
    forward_problem: problem ?? null,
    body: value,
  };
}

/** Formats a line: `09:00:00  order.settled  ord_…  SETTLED  ✓ signature  responded 200`. */
function formatReceipt(receipt: ReturnType<typeof receiptOf>, { colors }: Formatter): string {
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

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Receives webhooks until interrupted, or until `count` have arrived. */
export async function runReceiver(context: CommandContext, input: ListenOptions): Promise<void> {
  if (input.forward !== undefined && input.status !== undefined) {
    throw new UsageError('--forward and --status: pass one of them, not both');
  }
  const { io } = context;
  const secret = input.secret ?? `whsec_${randomBytes(16).toString('hex')}`;
  const addressPrinted = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<void>();
  let receivedCount = 0;
  let unregister = async () => {};
  const receiver = await startReceiver(input.port, async (incoming) => {
    if (receivedCount === input.count) return { status: 503 };
    receivedCount += 1;
    // Waits until the address is printed.
    await addressPrinted.promise;
    const response = await receive(context, input, secret, incoming);
    if (receivedCount === input.count) stopped.resolve();
    return response;
  });
  try {
    if (input.register)
      unregister = await register(context, input.as, { url: receiver.url, secret });
    printAddress(context, { url: receiver.url, secret, registered: input.register });
    addressPrinted.resolve();
    const interruption = io.interruption();
    interruption.addEventListener('abort', () => stopped.resolve());
    if (!interruption.aborted) await stopped.promise;
  } finally {
    addressPrinted.resolve();
    // Unregisters while the receiver still responds, so that no delivery fails.
    await unregister();
    await receiver.close();
  }
}

async function receive(
  { out, io }: CommandContext,
  input: ListenOptions,
  secret: string,
  incoming: Incoming,
): Promise<ReceiverResponse> {
  const at = isoTime(io.runtime.now());
  const header = incoming.headers[WEBHOOK_SIGNATURE_HEADER.toLowerCase()];
  const signature = checkWebhookSignature(secret, incoming.body, header?.toString());
  const response: ReceiverResponse & { problem?: string } =
    input.forward === undefined
      ? { status: input.status ?? (signature.valid ? 200 : 401), server: LISTEN_SERVER }
      : await forward(io.fetch, input.forward, incoming);
  out.item(receiptOf(incoming.body, signature, at, response), formatReceipt);
  return response;
}

async function register(
  context: CommandContext,
  as: string | undefined,
  registration: { url: string; secret: string },
): Promise<() => Promise<void>> {
  const key = await signingKey(context, as);
  const target = '/api/partner/webhooks';
  const put = () =>
    fetchJson(context, signNow(context, key, { method: 'PUT', target, body: registration }));
  await put();
  const credential = await context
    .control()
    .get<ControlCredential>(`/credentials/${encodeURIComponent(key.key_id)}`);
  const stopped = new AbortController();
  const changes = await context.control(stopped.signal).in(credential.world).download('/stream');
  void registerAfterResets(context, credential, { changes, signal: stopped.signal, put });
  return async () => {
    const { url } = registration;
    stopped.abort();
    try {
      await context.control().in(credential.world).delete('/webhooks', { url });
    } catch (error) {
      // The URL was replaced, or the sandbox has stopped.
      if (error instanceof UnreachableError) return;
      if (!(error instanceof ControlApiError)) throw error;
      if (error.code !== 'not_found')
        context.out.note(`${url} is still registered: ${error.message}`);
    }
  };
}

/** Registers again when a reset or a restore of the world has removed the registration of the partner. */
async function registerAfterResets(
  context: CommandContext,
  { world, partner_id, environment }: ControlCredential,
  {
    changes,
    signal,
    put,
  }: { changes: ReadableStream<Uint8Array>; signal: AbortSignal; put: () => Promise<unknown> },
): Promise<void> {
  try {
    for await (const { event, data } of readServerEvents(changes)) {
      if (event !== 'change') continue;
      const { changed } = JSON.parse(data) as { changed: string[] };
      // Only a world with another state reports all of these at once.
      if (!['clock', 'credentials', 'snapshots'].every((name) => changed.includes(name))) continue;
      const { webhooks } = await context
        .control()
        .in(world)
        .get<{ webhooks: ControlRegistration[] }>('/webhooks', { limit: 100 });
      const isRegistered = webhooks.some(
        (webhook) => webhook.partner_id === partner_id && webhook.environment === environment,
      );
      if (!isRegistered) await put();
    }
  } catch (error) {
    if (!signal.aborted)
      context.out.note(`not registered again after a reset: ${messageOf(error)}`);
  }
}

function printAddress(
  { out }: CommandContext,
  receiver: { url: string; secret: string; registered: boolean },
): void {
  if (out.json) {
    out.item({ kind: 'listening', ...receiver }, () => '');
    return;
  }
  out.note(`Listening at ${receiver.url} (secret ${receiver.secret})`);
  if (!receiver.registered) {
    const body = JSON.stringify({ url: receiver.url, secret: receiver.secret });
    out.note(`Register it with: sandlot request PUT /api/partner/webhooks --data '${body}'`);
  }
}
