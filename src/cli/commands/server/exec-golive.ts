import type { Report } from '../../../coverage/report.ts';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { CommandContext } from '../../context.ts';
import { CheckFailedError, UsageError } from '../../errors.ts';
import { widthOf } from '../../io.ts';
import { readGate } from '../golive/read-files.ts';
import { showReport } from '../golive/show-report.ts';
import { checkTargets, writeJson, writeReports } from '../golive/write-report.ts';
import type { ExecOptions } from './sandbox-options.ts';

export type GoliveOptions = Pick<
  ExecOptions,
  'golive' | 'gate' | 'goliveJson' | 'goliveJunit' | 'coverage'
>;

export interface GoliveRun {
  /**
   * Writes the files.
   * @returns the report; undefined if only an export was asked for, or after a note if the command failed and so does
   * writing
   */
  write(sandbox: Sandbox, code: number): Promise<Report | undefined>;
  print(report: Report): void;
  /** Whether a gate was given and failed. */
  hasFailed(report: Report | undefined): boolean;
}

/**
 * Checks the files before the command runs.
 * @param isObserved whether the configuration lets the sandbox observe anything
 * @throws UsageError for an invalid gate or a file that cannot be written
 */
export function prepareGolive(
  { io, out }: CommandContext,
  { golive: html, gate: gateFile, goliveJson, goliveJunit, coverage }: GoliveOptions,
  isObserved: boolean,
): GoliveRun {
  const files = {
    '--golive': html,
    '--golive-json': goliveJson,
    '--golive-junit': goliveJunit,
    '--coverage': coverage,
  };
  const [first] = Object.entries({ '--gate': gateFile, ...files }).flatMap(([option, file]) =>
    file === undefined ? [] : [option],
  );
  if (first !== undefined && !isObserved) {
    throw new UsageError(`${first}: the configuration file has "coverage": false; remove it`);
  }
  const gate = readGate(io, gateFile);
  const targets = checkTargets(io, files);
  const isReported = [html, gateFile, goliveJson, goliveJunit].some((file) => file !== undefined);
  async function writeAll({ coverage: observed }: Sandbox): Promise<Report | undefined> {
    const target = targets.get('--coverage');
    if (target !== undefined) await writeJson(target, await observed.export());
    if (!isReported) return undefined;
    const report = await observed.report({ gate, isServed: false });
    await writeReports(report, {
      html: targets.get('--golive'),
      json: targets.get('--golive-json'),
      junit: targets.get('--golive-junit'),
    });
    return report;
  }
  return {
    async write(sandbox, code) {
      try {
        return await writeAll(sandbox);
      } catch (error) {
        // The code of the command says more.
        if (code === 0 || !(error instanceof CheckFailedError)) throw error;
        out.note(`${out.colors.error('error:')} ${error.message}`);
        return undefined;
      }
    },
    print(report) {
      const lines = showReport(report, { colors: out.colors }, { html, width: widthOf(io.stdout) });
      for (const line of lines) out.note(line);
    },
    hasFailed: (report) => gate !== undefined && report?.gate.passed === false,
  };
}
