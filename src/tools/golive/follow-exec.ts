import type { CommandContext, ExecFollower } from '../../cli/context.ts';
import { CheckFailedError, UsageError } from '../../cli/errors.ts';
import { widthOf } from '../../cli/io.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Files } from './exec.ts';
import { goliveOf } from './golive.ts';
import { readGate } from './read-files.ts';
import type { Report } from './report.ts';
import { showReport } from './show-report.ts';
import { checkTargets, writeJson, writeReports } from './write-report.ts';

/**
 * Checks the files before the command of `exec` runs, and writes them when it has ended.
 * @throws UsageError for an invalid gate or a file that cannot be written
 */
export function followExec(
  { io, out }: CommandContext,
  { golive: html, gate: gateFile, goliveJson, goliveJunit, goliveExport }: Files,
): ExecFollower {
  const gate = readGate(io, gateFile);
  const targets = checkTargets(io, {
    '--golive': html,
    '--golive-json': goliveJson,
    '--golive-junit': goliveJunit,
    '--golive-export': goliveExport,
  });
  const isReported =
    gate !== undefined || [...targets.keys()].some((option) => option !== '--golive-export');
  let report: Report | undefined;
  async function write(sandbox: Sandbox): Promise<void> {
    const golive = goliveOf(sandbox);
    const target = targets.get('--golive-export');
    if (target !== undefined) await writeJson(target, await golive.export());
    if (!isReported) return;
    const newReport = await golive.report({ gate, isServed: false });
    await writeReports(newReport, {
      html: targets.get('--golive'),
      json: targets.get('--golive-json'),
      junit: targets.get('--golive-junit'),
    });
    report = newReport;
  }
  return {
    begins({ golive, request_log: requestLog }) {
      const [option = '--gate'] = targets.keys();
      if (golive === false) {
        throw new UsageError(`${option}: the configuration file has "golive": false; remove it`);
      }
      if (requestLog === 0) {
        throw new UsageError(`${option}: needs the request log; run without --request-log 0`);
      }
    },
    async ended(sandbox, code) {
      try {
        await write(sandbox);
      } catch (error) {
        // The exit code of the command is more important than a file that cannot be written.
        if (code === 0 || !(error instanceof CheckFailedError)) throw error;
        out.note(`${out.colors.error('error:')} ${error.message}`);
      }
    },
    print() {
      if (!report) return;
      const lines = showReport(report, { colors: out.colors }, { html, width: widthOf(io.stdout) });
      for (const line of lines) out.note(line);
    },
    hasFailed: () => gate !== undefined && report?.gate.passed === false,
  };
}
