import { text } from '../../cli/options.ts';
import type { CommandExtension } from '../../cli/tool.ts';
import { assertFile } from '../../cli/write-file.ts';

/** `exec --repro-on-failure` */
export const execRepro: CommandExtension = {
  options: {
    reproOnFailure: text(
      '--repro-on-failure <file>',
      'Write a repro of each world if the command fails',
    ),
  },
  async run(call, core) {
    const file = call.options.reproOnFailure as string | undefined;
    if (file !== undefined) {
      assertFile('--repro-on-failure', file);
      call.execFollowers.push({
        ended: async (sandbox, code) => {
          if (code === 0) return;
          const { writeRepros } = await import('./write-repros.ts');
          await writeRepros(call, sandbox, file);
        },
      });
    }
    return core();
  },
};
