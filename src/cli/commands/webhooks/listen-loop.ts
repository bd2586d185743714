import { randomBytes } from 'node:crypto';
import { ControlApiError, UnreachableError } from '../../../client/control-client.ts';
import { isoTime } from '../../../kernel/time.ts';
import type { ControlCredential } from '../../../market/partners/credential.ts';
import { WEBHOOK_SIGNATURE_HEADER } from '../../../signing/webhook.ts';
import type { CommandContext } from '../../command.ts';
import { UsageError } from '../../failures.ts';
import { answerTo, signingKey, signNow } from '../../partner-call.ts';
import { judgeWebhook } from '../../webhook-signature.ts';
import { forward } from './forward.ts';
import { receiptOf, showReceipt } from './receipt.ts';
import { type Answer, type Incoming, startReceiver } from './receiver.ts';

export interface ListenInput {
  port: number;
  secret: string | undefined;
  register: boolean;
  as: string | undefined;
  forward: string | undefined;
  status: number | undefined;
  count: number | undefined;
}

/** Receives until interrupted, or until as many came as were wanted. */
export async function listen(context: CommandContext, input: ListenInput): Promise<void> {
  if (input.forward !== undefined && input.status !== undefined) {
    throw new UsageError('--forward and --status: expected one of them, not both');
  }
  const { io } = context;
  const secret = input.secret ?? `whsec_${randomBytes(16).toString('hex')}`;
  const told = Promise.withResolvers<void>();
  const enough = Promise.withResolvers<void>();
  let received = 0;
  let unregister = async () => {};
  const receiver = await startReceiver(input.port, async (incoming) => {
    if (received === input.count) return { status: 503 };
    received += 1;
    // Where it listens is the first thing that is said.
    await told.promise;
    const answer = await receive(context, input, secret, incoming);
    if (received === input.count) enough.resolve();
    return answer;
  });
  try {
    if (input.register)
      unregister = await register(context, input.as, { url: receiver.url, secret });
    tellWhere(context, { url: receiver.url, secret, registered: input.register });
    told.resolve();
    const interruption = io.interruption();
    interruption.addEventListener('abort', () => enough.resolve());
    if (!interruption.aborted) await enough.promise;
  } finally {
    told.resolve();
    // While it still answers, so that nothing is sent to a closed door.
    await unregister();
    await receiver.close();
  }
}

/** Judges, prints and answers one webhook. */
async function receive(
  { out, io }: CommandContext,
  input: ListenInput,
  secret: string,
  incoming: Incoming,
): Promise<Answer> {
  const at = isoTime(io.runtime.now());
  const header = incoming.headers[WEBHOOK_SIGNATURE_HEADER.toLowerCase()];
  const judgement = judgeWebhook(secret, incoming.body, header?.toString());
  const answer: Answer & { problem?: string } =
    input.forward === undefined
      ? { status: input.status ?? (judgement.valid ? 200 : 401) }
      : await forward(io.fetch, input.forward, incoming);
  const { status: answered, problem } = answer;
  out.item(receiptOf(incoming.body, judgement, { at, answered, problem }), showReceipt);
  return answer;
}

/** @returns what takes the registration away again, if it is still this one */
async function register(
  context: CommandContext,
  as: string | undefined,
  registration: { url: string; secret: string },
): Promise<() => Promise<void>> {
  const key = await signingKey(context, as);
  const target = '/api/partner/webhooks';
  await answerTo(context, signNow(context, key, { method: 'PUT', target, body: registration }));
  return async () => {
    const { url } = registration;
    try {
      const { world } = await context
        .control()
        .get<ControlCredential>(`/credentials/${encodeURIComponent(key.key_id)}`);
      await context.control().in(world).delete('/webhooks', { url });
    } catch (error) {
      // Another url was registered since, or the sandbox has ended: it is gone as well.
      if (error instanceof UnreachableError) return;
      if (!(error instanceof ControlApiError)) throw error;
      if (error.code !== 'not_found') context.out.note(`${url} stays registered: ${error.message}`);
    }
  };
}

function tellWhere(
  { out }: CommandContext,
  where: { url: string; secret: string; registered: boolean },
): void {
  if (out.json) {
    out.item({ kind: 'listening', ...where }, () => '');
    return;
  }
  out.note(`listening at ${where.url}, secret ${where.secret}`);
  if (!where.registered) {
    const body = JSON.stringify({ url: where.url, secret: where.secret });
    out.note(`register it with: sandlot request PUT /api/partner/webhooks --data '${body}'`);
  }
}
