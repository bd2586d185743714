import type { RunSummary } from '../../../control/run-counters.ts';
import type { Output } from '../../output.ts';

/** One line about a run on stderr, and a line for each way in which webhooks failed. */
export function tellSummary(out: Output, { requests, events, attempts, failed }: RunSummary): void {
  const lost = failed.reduce((sum, { count }) => sum + count, 0);
  const parts = [
    counted(requests, 'request'),
    counted(events, 'event'),
    counted(attempts, 'webhook attempt'),
    `${lost} failed`,
  ];
  out.note(`${lost > 0 ? out.paint.bad('●') : out.paint.good('●')} sandlot: ${parts.join(', ')}`);
  for (const { url, outcome, count } of failed) out.note(`  ${count} × ${outcome} from ${url}`);
}

function counted(n: number, what: string): string {
  return `${n} ${what}${n === 1 ? '' : 's'}`;
}
