import { parseJson } from '../../../kernel/json.ts';
import { oneLine } from '../../layout.ts';
import type { Formatter } from '../../output.ts';
import type { SignatureResult } from '../webhook-signature.ts';
import type { ReceiverResponse } from './receiver.ts';

/** A received webhook, as `webhooks listen` prints it. */
interface Receipt {
  kind: 'event';
  /** Real time. */
  received_at: string;
  id: string | null;
  type: string | null;
  /** The order or case that it is about. */
  subject_id: string | null;
  status: string | null;
  signature: { valid: boolean; problem: string | null };
  response_status: number;
  /** Why --forward got no response. */
  forward_problem: string | null;
  /** JSON if the body is JSON, else text. */
  body: unknown;
}

/** Reads a webhook; fields are null if the body is not an event. */
export function receiptOf(
  body: Buffer,
  signature: SignatureResult,
  at: string,
  { status, problem }: ReceiverResponse & { problem?: string },
): Receipt {
  const sent = body.toString();
  const value = parseJson(sent, sent);
  const event = fieldsOf(value);
  const data = fieldsOf(event.data);
  const order = fieldsOf(data.order);
  const broker = fieldsOf(data.case);
  return {
    kind: 'event',
    received_at: at,
    id: text(event.id),
    type: text(event.type),
    subject_id: text(order.public_id) ?? text(broker.case_id),
    status: text(order.status) ?? text(broker.status),
    signature: { valid: signature.valid, problem: signature.problem },
    response_status: status,
    forward_problem: problem ?? null,
    body: value,
  };
}

/** `09:00:00  order.settled  ord_…  SETTLED  ✓ signature  responded 200`. */
export function formatReceipt(receipt: Receipt, { colors }: Formatter): string {
  const { signature, response_status: status, forward_problem: problem } = receipt;
  const words = [
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
  return words.join('  ');
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
