import fs from 'node:fs';
import path from 'node:path';
import { type CommandCall, command } from '../../cli/command.ts';
import { CheckFailedError, UsageError } from '../../cli/errors.ts';
import { widthOf } from '../../cli/io.ts';
import { text, WORLD_OR_ALL } from '../../cli/options.ts';
import { jsonText, requireOutput, STDOUT, writeOutput } from '../../cli/write-file.ts';
import type { Report } from './report.ts';

const OPTIONS = {
  gate: text('--gate <file>', 'Gate file with the required items'),
  from: text('--from <files...>', 'Read files of golive export instead of a sandbox').repeatable(),
  html: text('--html <file>', 'Write the report as one HTML file'),
  junit: text('--junit <file>', 'Write the results as JUnit XML'),
  init: text(
    '--init <file>',
    'Write a gate that requires every must item that applies now (- for stdout)',
  ),
  world: WORLD_OR_ALL,
};

export const check = command('golive', {
  readOnly: true,
  summary: 'Check whether your integration is ready for production.',
  details:
    'Reports what your integration handled while its tests ran, what was never tried, and what went wrong, with evidence and the next command for each open item. Without --gate, every must item that applies is required. Exits 1 if the check fails.\n\nA rehearsal only: sandlot sees the HTTP traffic, not what your code does with it. The marketplace approves production access.',
  options: OPTIONS,
  examples: [
    'sandlot golive',
    'sandlot golive --init sandlot.golive.json',
    'sandlot golive --gate sandlot.golive.json --html golive.html --junit golive.xml',
    'sandlot golive --from shard-1.json shard-2.json --gate sandlot.golive.json',
  ],
  run: (call) => runCommand(call),
});

type Call = CommandCall<Record<never, never>, typeof OPTIONS>;

async function runCommand(call: Call): Promise<void> {
  const { io, out, options, world } = call;
  const { gate, from, html, junit, init } = options;
  if (world !== undefined && from.length > 0) {
    throw new UsageError('--world: needs a sandbox; an export has all of its worlds');
  }
  if (init !== undefined) {
    for (const [name, value] of Object.entries({
      '--gate': gate,
      '--html': html,
      '--junit': junit,
    })) {
      if (value !== undefined) throw new UsageError(`--init: cannot be used with ${name}`);
    }
    return writeGate(call, init);
  }
  const { readGate } = await import('./read-files.ts');
  const { checkTargets, writeReports } = await import('./write-report.ts');
  const { showReport } = await import('./show-report.ts');
  const targets = checkTargets(io, { '--html': html, '--junit': junit });
  const report = await reportOf(call, readGate(io, gate));
  await writeReports(report, { html: targets.get('--html'), junit: targets.get('--junit') });
  out.result(report, (shown, formatter) =>
    showReport(shown, formatter, { html, width: widthOf(io.stdout) }),
  );
  if (!report.gate.passed) throw new CheckFailedError('go-live check failed');
}

async function reportOf(
  { io, control, options: { from } }: Call,
  gate: Parameters<typeof import('./read-files.ts').reportOn>[2],
): Promise<Report> {
  if (from.length === 0) return control().post('/golive', gate ? { gate } : {});
  const { reportOn } = await import('./read-files.ts');
  return reportOn(io, from, gate);
}

/** Writes the gate of what applies now. @throws UsageError if the file exists */
async function writeGate(call: Call, file: string): Promise<void> {
  const { makeGate } = await import('./gate.ts');
  requireOutput(call.io, '--init', file);
  if (file !== STDOUT && fs.existsSync(path.resolve(call.io.cwd, file))) {
    throw new UsageError(`--init: ${file} exists; pass another name`);
  }
  const gate = makeGate(await reportOf(call, undefined));
  await writeOutput(call, file, jsonText(gate), (_bytes, target) => [
    gate,
    `Wrote ${target}: ${gate.require.length} required items`,
  ]);
}
