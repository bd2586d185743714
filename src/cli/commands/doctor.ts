import { type CommandModule, command } from '../command.ts';
import { CheckFailedError } from '../errors.ts';
import type { Formatter } from '../output.ts';
import type { Finding } from './doctor/finding.ts';
import { configOption, portOption } from './server/sandbox-options.ts';

export const doctor: CommandModule = {
  group: 'Server',
  commands: [
    command('doctor', {
      readOnly: true,
      summary: 'Find problems of the installation, and suggest fixes.',
      details:
        'Checks Node.js, SQLite, the configuration file, the state folder, disk space and the port. If a sandbox is running, also checks its version, its clock, the key that commands sign with, and whether each registered webhook URL accepts connections and responded with 200 to the newest webhook. Changes nothing. Exits 1 if a check fails; no running sandbox, and a receiver that does not run or rejects webhooks, are warnings.',
      options: { config: configOption(), port: portOption('4010') },
      examples: ['sandlot doctor', 'sandlot doctor --json'],
      async run(call) {
        const { examine } = await import('./doctor/examine.ts');
        const checks = await examine(call, call.options);
        const failed = checks.filter(({ status }) => status === 'failure');
        call.out.result({ ok: failed.length === 0, checks }, formatFindings);
        if (failed.length > 0) {
          const names = [...new Set(failed.map(({ check }) => check))];
          throw new CheckFailedError(`failed checks: ${names.join(', ')}`);
        }
      },
    }),
  ],
};

function formatFindings(
  { checks }: { checks: readonly Finding[] },
  { colors, wrapAfter }: Formatter,
): string[] {
  const colorOf = { ok: colors.success, warning: colors.warning, failure: colors.error };
  const width = Math.max(...checks.map(({ check }) => check.length));
  const indent = 'failure'.length + width + 4;
  return checks.flatMap(({ check, status, detail, hint }) => [
    `${colorOf[status](status.padEnd('failure'.length))}  ${check.padEnd(width)}  ${wrapAfter(indent, detail)}`,
    ...(hint === null
      ? []
      : [`${' '.repeat(indent)}${colors.bold('→')} ${wrapAfter(indent + 2, hint)}`]),
  ]);
}
