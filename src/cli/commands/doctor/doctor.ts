import { defineCommand } from '../../command.ts';
import { option } from '../../declare.ts';
import { CheckFailedError } from '../../failures.ts';
import type { Paper } from '../../output.ts';
import { wholeNumber } from '../../values.ts';
import type { Finding } from './finding.ts';

export const doctor = defineCommand({
  path: 'doctor',
  summary: 'Look for what keeps sandlot from working here, and say what to do.',
  details:
    'Checks Node.js, SQLite, the configuration file, the state folder, disk space, the port, and of a running sandbox its version, its clock, the key that commands sign with, and whether somebody listens at each registered webhook url. Changes nothing; exits 1 when a check fails. That no sandbox runs is a warning.',
  options: {
    config: option(
      '--config <file>',
      'configuration file (default: sandlot.config.json if there is one)',
    ),
    port: option(
      '--port <number>',
      'port that start would listen on (default: 4010)',
      wholeNumber(0, 65_535),
    ),
  },
  examples: ['sandlot doctor', 'sandlot doctor --json'],
  async run(call) {
    const { examine } = await import('./examine.ts');
    const checks = await examine(call, call.options);
    const failed = checks.filter(({ status }) => status === 'failure');
    call.out.result({ ok: failed.length === 0, checks }, showFindings);
    if (failed.length > 0) {
      const names = [...new Set(failed.map(({ check }) => check))];
      throw new CheckFailedError(`not in order: ${names.join(', ')}`);
    }
  },
});

function showFindings({ checks }: { checks: readonly Finding[] }, { paint }: Paper): string[] {
  const colors = { ok: paint.good, warning: paint.doubtful, failure: paint.bad };
  const width = Math.max(...checks.map(({ check }) => check.length));
  return checks.flatMap(({ check, status, detail, hint }) => [
    `${colors[status](status.padEnd('failure'.length))}  ${check.padEnd(width)}  ${detail}`,
    ...(hint === null
      ? []
      : [`${' '.repeat('failure'.length + width + 4)}${paint.strong('→')} ${hint}`]),
  ]);
}
