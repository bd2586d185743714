import { oneLine } from '../../layout.ts';
import type { Paper } from '../../output.ts';
import type { FireShape } from '../../shapes.ts';

/** What was sent, and what came back, for people. */
export function showFired({ url, event, attempts }: FireShape, { paint }: Paper): string[] {
  const { type, id } = event as { type: string; id: string };
  return [
    `${type} ${id} → ${url}`,
    ...attempts.flatMap(({ outcome, http_status, duration_ms, answer }) => {
      const mark = outcome === 'ok' ? paint.good('✓ 200') : paint.bad(`✗ ${outcome}`);
      const status = http_status === null || outcome !== 'timeout' ? '' : ` after ${http_status}`;
      return [
        `${mark}${status} in ${duration_ms} ms`,
        ...(answer ? [paint.faint(oneLine(answer))] : []),
      ];
    }),
  ];
}
