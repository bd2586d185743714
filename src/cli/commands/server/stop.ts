import { UnreachableError } from '../../../client/control-client.ts';
import { defineCommand } from '../../command.ts';
import { CheckFailedError } from '../../failures.ts';

const LONGEST_GOODBYE_MS = 15_000;
const LOOK_AGAIN_MS = 20;

export const stop = defineCommand({
  path: 'stop',
  summary: 'Stop the running sandbox, and return when it has ended.',
  examples: ['sandlot stop'],
  async run({ control, address, io, out }) {
    const { url } = address();
    const door = control();
    await door.post('/stop');
    const deadline = io.runtime.now() + LONGEST_GOODBYE_MS;
    while (await answers(() => door.get('/health'))) {
      if (io.runtime.now() > deadline) throw new CheckFailedError(`${url} still answers`);
      await io.runtime.sleep(LOOK_AGAIN_MS);
    }
    out.result({ stopped: true, url }, () => `stopped ${url}`);
  },
});

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (error instanceof UnreachableError) return false;
    throw error;
  }
}
