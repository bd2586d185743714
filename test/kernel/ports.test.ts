import { expect, test } from 'vitest';
import { isBlockedPort } from '../../src/kernel/ports.ts';

/** Port 0 is refused too; as a setting, it selects a free port. */
const PORTS = Array.from({ length: 11_000 }, (_, n) => n + 1);

test('the blocked ports are those that fetch of Node.js refuses', async () => {
  const dispatcher = {
    dispatch: () => {
      throw new Error('fetch connects');
    },
  };
  const init = { dispatcher } as unknown as RequestInit;
  const reasons = PORTS.map((port) =>
    fetch(`http://127.0.0.1:${port}/`, init).catch(({ cause }: Error) => (cause as Error).message),
  );
  const expected = PORTS.map((port) => (isBlockedPort(port) ? 'bad port' : 'fetch connects'));
  expect(await Promise.all(reasons)).toEqual(expected);
});
