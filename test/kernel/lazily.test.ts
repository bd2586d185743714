import { expect, test } from 'vitest';
import { lazilyAsync } from '../../src/kernel/lazily.ts';

test('what could not be loaded is loaded by the next caller, and kept from then on', async () => {
  let attempts = 0;
  const load = lazilyAsync(async () => {
    attempts += 1;
    if (attempts === 1) throw new Error('EMFILE');
    return { attempts };
  });
  const [first, meanwhile] = await Promise.allSettled([load(), load()]);
  expect([first.status, meanwhile.status, attempts]).toEqual(['rejected', 'rejected', 1]);
  const loaded = await load();
  expect(loaded).toEqual({ attempts: 2 });
  expect(await load()).toBe(loaded);
});
