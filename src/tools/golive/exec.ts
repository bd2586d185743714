import type { CommandContext, ExecFollower } from '../../cli/context.ts';
import { text } from '../../cli/options.ts';
import type { CommandExtension } from '../../cli/tool.ts';

/** The options `--golive` and `--gate` of `exec`. */
export const execGolive: CommandExtension = {
  options: {
    golive: text('--golive <file>', 'Write the go-live report of this run as one HTML file'),
    gate: text('--gate <file>', 'Exit 1 if the go-live report does not pass this gate file'),
  },
  details:
    '--golive and --gate make the go-live report of what the command did (see sandlot golive --help). Without --gate, exec exits with the code of the command, even if the report shows mistakes. With --gate, it exits 1 if the command succeeds but the report does not pass. If the gate file is invalid, it exits 2, and the command does not run.',
  examples: ['sandlot exec --golive golive.html --gate sandlot.golive.json -- npm test'],
  async run(call, runCommand) {
    const options = call.options as ExecOptions;
    if ((options.golive ?? options.gate) !== undefined)
      call.execFollowers.push(await followExec(call, options));
    return runCommand();
  },
};

type ExecOptions = Record<'golive' | 'gate', string | undefined>;

/** Reads the gate now, and makes the report after the command. @throws UsageError for an invalid gate or file */
async function followExec(
  { io, out }: CommandContext,
  { golive, gate }: ExecOptions,
): Promise<ExecFollower> {
  const { prepareOutput } = await import('./gate.ts');
  const { showReport } = await import('./show-report.ts');
  const finish = prepareOutput(io, gate, '--golive', golive);
  return async (sandbox) => {
    const { observe } = await import('./read-log.ts');
    const { makeReport } = await import('./report.ts');
    const report = await finish(makeReport(await observe(sandbox), { now: io.runtime.now() }));
    return {
      lines: showReport(report, out.colors, golive),
      hasFailed: gate !== undefined && !report.gate.passed,
    };
  };
}
