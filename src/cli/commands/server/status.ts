import { shellQuote } from '../../../client/curl.ts';
import type { Status } from '../../../control/status.ts';
import { countOf, formatCount } from '../../../kernel/count.ts';
import type { RunSummary } from '../../../sandbox/sandbox.ts';
import type { Formatter, Output } from '../../output.ts';

export function formatStatus(status: Status, { colors, block }: Formatter): string[] {
  const inventory = Object.entries(status.inventory)
    .map(([environment, { listed, sold }]) => `${environment} ${listed} listed, ${sold} sold`)
    .join('; ');
  return [
    `${colors.success('●')} sandlot ${status.version} at ${colors.bold(status.url)}`,
    block([
      ['pid', String(status.pid)],
      ['world', `${status.world}, seed ${status.seed}`],
      ['inventory', inventory],
      ['clock', `${status.clock.now}${status.clock.frozen ? ', frozen' : ''}`],
      ['dashboard', status.dashboard_url],
      ['state', status.data_dir ?? 'in memory'],
      ['rate limits', formatRateLimits(status.rate_limits)],
    ]),
    '',
    ...Object.entries(status.env).map(
      ([name, value = '']) => `export ${name}=${shellQuote(value)}`,
    ),
  ];
}

export function formatRateLimits(limits: Status['rate_limits']): string {
  const parts = Object.entries(limits).flatMap(([name, limit]) =>
    limit === null ? [] : [`${name} ${limit}`],
  );
  return parts.length === 0 ? 'off' : `${parts.join(', ')} per minute`;
}

/** Prints the number of requests of a run on stderr, and a line for each error. */
export function printSummary(out: Output, { requests, rejected }: RunSummary): void {
  const total = rejected.reduce((sum, { count }) => sum + count, 0);
  out.note(
    `${out.colors.success('●')} sandlot: ${countOf(requests, 'request')}, ${formatCount(total)} rejected`,
  );
  for (const { status, code, count } of rejected)
    out.note(`  ${formatCount(count)} × ${status} ${code}`);
}
