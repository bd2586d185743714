import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { CommandContext } from '../../cli/context.ts';
import { text } from '../../cli/options.ts';
import type { CommandExtension } from '../../cli/tool.ts';
import { assertFile, writeAtomically } from '../../cli/write-file.ts';
import { countOf } from '../../kernel/count.ts';
import { messageOf } from '../../kernel/errors.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/** The option `--repro-on-failure` of `exec`. */
export const execRepro: CommandExtension = {
  options: {
    reproOnFailure: text(
      '--repro-on-failure <file>',
      'Write a repro of each world if the command fails',
    ),
  },
  async run(call, runCommand) {
    const file = call.options.reproOnFailure as string | undefined;
    if (file !== undefined) {
      assertFile('--repro-on-failure', file);
      call.execFollowers.push(async (sandbox, code) => {
        if (code !== 0) await writeRepros(call, sandbox, file);
        return undefined;
      });
    }
    return runCommand();
  },
};

/** Writes a repro of each world that had requests: `file`, and `file.w2` for world w2. A failure is only printed. */
async function writeRepros({ io, out }: CommandContext, sandbox: Sandbox, file: string) {
  // Help and every `exec` load this file, so the server code is loaded only here.
  const { DEFAULT_WORLD } = await import('../../world/files.ts');
  const { concernsWorld } = await import('./logged-requests.ts');
  const { exportRepro } = await import('./export.ts');
  for (const world of sandbox.worlds.list()) {
    const name = world.name === DEFAULT_WORLD ? file : `${file}.${world.name}`;
    try {
      if (!sandbox.requests.list(world, { limit: -1 }).some(concernsWorld)) continue;
      const { bytes, summary } = await exportRepro({ ...sandbox, runtime: io.runtime }, world, {});
      const content = file.endsWith('.jsonl') ? gunzipSync(bytes) : bytes;
      await writeAtomically(path.resolve(io.cwd, name), content);
      const suffix = summary.problem === null ? '' : `, not verified: ${summary.problem}`;
      out.note(`repro: wrote ${name} (${countOf(summary.inputs, 'request')}${suffix})`);
    } catch (error) {
      const [reason = ''] = messageOf(error).split('\n', 1);
      out.note(`repro: ${name} was not written: ${reason}`);
    }
  }
}
