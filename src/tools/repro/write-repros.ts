import path from 'node:path';
import zlib from 'node:zlib';
import type { CommandContext } from '../../cli/context.ts';
import { writeAtomically } from '../../cli/write-file.ts';
import { countOf } from '../../kernel/count.ts';
import { messageOf } from '../../kernel/errors.ts';
import { SECOND } from '../../kernel/time.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { DEFAULT_WORLD } from '../../world/worlds.ts';

const MAX_IDLE_WAIT_MS = 5 * SECOND;

/**
 * Writes a repro of each world that had requests: `file`, and `file.w2` for world w2. A problem is printed, and changes
 * nothing else.
 */
export async function writeRepros(
  { io, out }: CommandContext,
  { worlds, schedulers, requests }: Sandbox,
  file: string,
): Promise<void> {
  const { runtime } = io;
  const done = new AbortController();
  await Promise.race([
    Promise.all(worlds.list().map((world) => schedulers.of(world).idle())),
    runtime.sleep(MAX_IDLE_WAIT_MS, done.signal),
  ]).catch(() => {});
  done.abort();
  for (const world of worlds.list()) {
    const name = world.name === DEFAULT_WORLD ? file : `${file}.${world.name}`;
    try {
      if (requests.of(world).list({}, { limit: 1 }).length === 0) continue;
      const { exportBeside } = await import('./service.ts');
      const source = { worlds, requests, runtime };
      const { bytes, summary } = await exportBeside(source, world, {});
      const content = name.endsWith('.jsonl') ? zlib.gunzipSync(bytes) : bytes;
      await writeAtomically(path.resolve(io.cwd, name), content);
      const problem = summary.problem === null ? '' : `, not verified: ${summary.problem}`;
      out.note(`repro: wrote ${name} (${countOf(summary.inputs, 'input')}${problem})`);
    } catch (error) {
      const [why = ''] = messageOf(error).split('\n', 1);
      out.note(`repro: ${name} was not written: ${why}`);
    }
  }
}
