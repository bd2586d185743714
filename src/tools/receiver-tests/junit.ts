import { junitXml } from '../../kernel/junit.ts';
import { groupOf } from './check.ts';
import type { ReceiverTestReport } from './result.ts';

export function toJunit({ checks, started_at }: ReceiverTestReport): string {
  const cases = checks.map(({ id, result, reason, meaning, fix, deliveries }) => ({
    group: groupOf(id),
    name: id,
    ms: deliveries.reduce((sum, { duration_ms }) => sum + duration_ms, 0),
    failure: result === 'fail' && {
      message: reason,
      details: [meaning, fix, deliveries.at(-1)?.response].filter(Boolean).join('\n'),
    },
    skipped: result === 'advice' ? `advice: ${reason}` : result === 'unseen' && reason,
  }));
  return junitXml('receiver-tests', cases, started_at);
}
