import type { FiredWebhook } from '../../../webhooks/fire.ts';
import { oneLine } from '../../layout.ts';
import type { Paper } from '../../output.ts';

type Attempt = FiredWebhook['attempts'][number];

/** Whether the receiver responded, and not with 200. */
export function isRejected({ outcome }: Attempt): boolean {
  return outcome.startsWith('status ');
}

/** What was sent, and what came back, for people. @param forged whether the signature was wrong on purpose */
export function showFired(
  { url, event, attempts }: FiredWebhook,
  { paint }: Paper,
  forged: boolean,
): string[] {
  const { type, id } = event as { type: string; id: string };
  const result = (attempt: Attempt) => {
    if (!forged)
      return attempt.outcome === 'ok' ? paint.good('✓ 200') : paint.bad(`✗ ${attempt.outcome}`);
    if (isRejected(attempt)) return paint.good(`✓ rejected with ${attempt.http_status}`);
    return paint.bad(attempt.outcome === 'ok' ? '✗ accepted with 200' : `✗ ${attempt.outcome}`);
  };
  return [
    `${type} ${id} → ${url}`,
    paint.faint(`not in the event history: ${id} is not an after_id of GET /events`),
    ...attempts.flatMap((attempt) => {
      const { outcome, http_status, duration_ms, response } = attempt;
      const status = http_status === null || outcome !== 'timeout' ? '' : ` after ${http_status}`;
      return [
        `${result(attempt)}${status} in ${duration_ms} ms`,
        ...(response ? [paint.faint(oneLine(response))] : []),
      ];
    }),
  ];
}
