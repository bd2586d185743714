import { spawnSync } from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';

const MODULE = path.resolve('src/kernel/young-generation.ts');

/** Megabytes that a process of its own has set aside for new objects, when it has made many that stay a while. */
function afterMany(before: string): number {
  const program = `
    const { limitYoungGeneration, youngGenerationBytes } = await import(${JSON.stringify(MODULE)});
    ${before}
    let kept = [];
    for (let turn = 0; turn < 30; turn += 1) {
      for (let n = 0; n < 100_000; n += 1) kept.push({ n, text: 'x' + n });
      await new Promise(setImmediate);
      kept = [];
    }
    console.log(youngGenerationBytes() / 1024 / 1024);
  `;
  // On a machine with little memory, V8 would set a lower limit itself.
  const args = ['--max-semi-space-size=64', '--input-type=module', '-e', program];
  const ran = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(ran.stderr.replaceAll(/.*Warning.*\n/g, '')).toBe('');
  return Number(ran.stdout);
}

test('the space for new objects stays where a server has no use for more', () => {
  expect(afterMany('')).toBeGreaterThanOrEqual(64);
  const limited = afterMany('limitYoungGeneration();');
  expect(limited).toBeGreaterThanOrEqual(16);
  // V8 may add a page or two to the 32 MB.
  expect(limited).toBeLessThan(48);
});
