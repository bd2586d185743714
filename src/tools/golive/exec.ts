import { text } from '../../cli/options.ts';
import type { CommandExtension } from '../../cli/tool.ts';

/** `exec --golive` */
export const execGolive: CommandExtension = {
  options: {
    golive: text('--golive <file>', 'Write the go-live report of this run as one HTML file'),
    gate: text('--gate <file>', 'Exit 1 if the go-live report does not pass this gate file'),
    goliveJson: text('--golive-json <file>', 'Write the go-live report as JSON'),
    goliveJunit: text('--golive-junit <file>', 'Write the go-live report as JUnit XML'),
    goliveExport: text('--golive-export <file>', 'Write all observations, for golive --from'),
  },
  details:
    '--golive, --gate, --golive-json and --golive-junit report which behaviors the command handled while it ran. An invalid gate file exits 2 before the command runs. Without --gate, exec exits with the code of the command, even if the report shows contradictions. With --gate, it exits 1 if the command succeeds and the gate fails.',
  examples: ['sandlot exec --golive golive.html --gate sandlot.golive.json -- npm test'],
  async run(call, core) {
    const { golive, gate, goliveJson, goliveJunit, goliveExport } = call.options as Files;
    const files = { golive, gate, goliveJson, goliveJunit, goliveExport };
    if (Object.values(files).some((file) => file !== undefined)) {
      const { followExec } = await import('./follow-exec.ts');
      call.execFollowers.push(followExec(call, files));
    }
    return core();
  },
};

export type Files = Partial<
  Record<'golive' | 'gate' | 'goliveJson' | 'goliveJunit' | 'goliveExport', string | undefined>
>;
