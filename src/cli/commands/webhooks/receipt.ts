import { oneLine } from '../../layout.ts';
import type { Paper } from '../../output.ts';
import type { WebhookJudgement } from '../../webhook-signature.ts';

/** One webhook that was received, as `webhooks listen` tells it. */
export interface Receipt {
  kind: 'event';
  /** Real time. */
  received_at: string;
  id: string | null;
  type: string | null;
  /** The order or case that it is about. */
  subject_id: string | null;
  status: string | null;
  signature: { valid: boolean; problem: string | null };
  /** Status that the sender got. */
  answered: number;
  /** Why there was no answer to pass on, with --forward. */
  forward_problem: string | null;
  /** The body, as JSON where it is JSON. */
  body: unknown;
}

/** Reads what a webhook says; a body that is no event gives nulls. */
export function receiptOf(
  body: Buffer,
  judgement: WebhookJudgement,
  { at, answered, problem }: { at: string; answered: number; problem: string | undefined },
): Receipt {
  const value = jsonOrText(body.toString());
  const event = membersOf(value);
  const data = membersOf(event.data);
  const order = membersOf(data.order);
  const broker = membersOf(data.case);
  return {
    kind: 'event',
    received_at: at,
    id: text(event.id),
    type: text(event.type),
    subject_id: text(order.public_id) ?? text(broker.case_id),
    status: text(order.status) ?? text(broker.status),
    signature: { valid: judgement.valid, problem: judgement.problem },
    answered,
    forward_problem: problem ?? null,
    body: value,
  };
}

/** "09:00:00  order.settled  ord_…  SETTLED  ✓ signature  answered 200". */
export function showReceipt(receipt: Receipt, { paint }: Paper): string {
  const { signature, answered, forward_problem: problem } = receipt;
  const words = [
    paint.faint(receipt.received_at.slice(11, 19)),
    oneLine(receipt.type ?? 'no event').padEnd(24),
    oneLine(receipt.subject_id),
    oneLine(receipt.status).padEnd(20),
    signature.valid ? paint.good('✓ signature') : paint.bad(`✗ signature: ${signature.problem}`),
    `answered ${answered}`,
    ...(problem === null ? [] : [paint.bad(problem)]),
  ];
  return words.join('  ');
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function jsonOrText(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
