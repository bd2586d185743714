import { randomBytes } from 'node:crypto';
import { ControlApiError } from '../../../client/control-client.ts';
import { UnreachableError } from '../../../client/unreachable.ts';
import { isoTime } from '../../../kernel/time.ts';
import type { ControlCredential } from '../../../market/partners/credential.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../../../signing/signature.ts';
import { LISTEN_SERVER } from '../../../webhooks/send.ts';
import type { CommandContext } from '../../context.ts';
import { UsageError } from '../../errors.ts';
import { fetchJson, signingKey, signNow } from '../../partner-call.ts';
import { checkWebhookSignature } from '../webhook-signature.ts';
import type { ListenOptions } from './listen-options.ts';
import { formatReceipt, receiptOf } from './receipt.ts';
import { forward, type Incoming, type ReceiverResponse, startReceiver } from './receiver.ts';

/** Receives webhooks until interrupted, or until `count` have arrived. */
export async function runReceiver(context: CommandContext, input: ListenOptions): Promise<void> {
  if (input.forward !== undefined && input.status !== undefined) {
    throw new UsageError('--forward and --status: pass one of them, not both');
  }
  const { io } = context;
  const secret = input.secret ?? `whsec_${randomBytes(16).toString('hex')}`;
  const announced = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  let received = 0;
  let unregister = async () => {};
  const receiver = await startReceiver(input.port, async (incoming) => {
    if (received === input.count) return { status: 503 };
    received += 1;
    // The address is printed first.
    await announced.promise;
    const response = await receive(context, input, secret, incoming);
    if (received === input.count) done.resolve();
    return response;
  });
  try {
    if (input.register)
      unregister = await register(context, input.as, { url: receiver.url, secret });
    printAddress(context, { url: receiver.url, secret, registered: input.register });
    announced.resolve();
    const interruption = io.interruption();
    interruption.addEventListener('abort', () => done.resolve());
    if (!interruption.aborted) await done.promise;
  } finally {
    announced.resolve();
    // The receiver still responds, so that no delivery fails.
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
  await fetchJson(context, signNow(context, key, { method: 'PUT', target, body: registration }));
  return async () => {
    const { url } = registration;
    try {
      const { world } = await context
        .control()
        .get<ControlCredential>(`/credentials/${encodeURIComponent(key.key_id)}`);
      await context.control().in(world).delete('/webhooks', { url });
    } catch (error) {
      // The URL was replaced, or the sandbox has stopped.
      if (error instanceof UnreachableError) return;
      if (!(error instanceof ControlApiError)) throw error;
      if (error.code !== 'not_found')
        context.out.note(`${url} is still registered: ${error.message}`);
    }
  };
}

function printAddress(
  { out }: CommandContext,
  where: { url: string; secret: string; registered: boolean },
): void {
  if (out.json) {
    out.item({ kind: 'listening', ...where }, () => '');
    return;
  }
  out.note(`Listening at ${where.url} (secret ${where.secret})`);
  if (!where.registered) {
    const body = JSON.stringify({ url: where.url, secret: where.secret });
    out.note(`Register it with: sandlot request PUT /api/partner/webhooks --data '${body}'`);
  }
}
