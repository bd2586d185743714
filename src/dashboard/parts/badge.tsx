import { ORDER_STATUSES, orderState } from '../../store/schema/order-states.ts';
import { plainLine } from '../plain.ts';

export type Tone = 'good' | 'bad' | 'doubtful' | 'calm';

/** A word or two about how something stands. */
export function Badge({ tone, children }: { tone: Tone; children: string }) {
  return <span class={`badge ${tone}`}>{plainLine(children)}</span>;
}

/** How an answer went, by its status; null is none at all. */
export function toneOfStatus(status: number | null): Tone {
  if (status === null || status >= 500) return 'bad';
  return status >= 400 ? 'doubtful' : 'good';
}

const ORDER_TONES = {
  success: 'good',
  error: 'bad',
  warning: 'doubtful',
  neutral: 'calm',
} as const;

const TONES: Record<string, Tone> = {
  ...Object.fromEntries(
    ORDER_STATUSES.map((status) => [status, ORDER_TONES[orderState(status).tone]]),
  ),
  delivered: 'good',
  ok: 'good',
  listed: 'good',
  pending: 'doubtful',
  failed: 'bad',
};

/** A state of an order, a delivery, a listing; what is under way has no color. */
export function State({ children }: { children: string }) {
  return <Badge tone={TONES[children] ?? 'calm'}>{children}</Badge>;
}
