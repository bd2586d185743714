import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import { expect, test } from 'vitest';
import { inWorkspace } from '../../scripts/torture/server.ts';

/** Keeps Node.js from running its program. */
const HANGS = {
  NODE_OPTIONS: '--import=data:text/javascript,await(new(Promise)(()=>setInterval(()=>{},1e9)))',
};

const hasEnded = ({ exitCode, signalCode }: ChildProcess) =>
  exitCode !== null || signalCode !== null;

test.each([
  ['ends at once', {}, /is in use/],
  ['never accepts requests', { env: HANGS, timeoutMs: 500 }, /ended without output: SIGKILL/],
])(
  'a server that %s fails its campaign, which leaves no process and no folder',
  async (_how, options, problem) => {
    const children: ChildProcess[] = [];
    const onSpawn = (child: ChildProcess) => void children.push(child);
    let folder = '';
    const campaign = inWorkspace(async ({ dir, start }) => {
      folder = dir;
      await start({ args: ['--inventory', '0'], onSpawn });
      await start({ ...options, onSpawn });
    });
    await expect(campaign).rejects.toThrow(problem);
    expect(children.map(hasEnded)).toEqual([true, true]);
    expect(fs.existsSync(folder)).toBe(false);
  },
);
