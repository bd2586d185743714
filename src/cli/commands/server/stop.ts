import { UnreachableError } from '../../../client/control-client.ts';
import { readServerRecord } from '../../../server/record.ts';
import { defineCommand } from '../../command.ts';
import { CheckFailedError } from '../../failures.ts';

const MAX_GOODBYE_MS = 15_000;
const LOOK_AGAIN_MS = 20;

export const stop = defineCommand({
  path: 'stop',
  summary: 'Stop the running sandbox, and return when it has ended.',
  examples: ['sandlot stop'],
  async run({ control, address, io, out }) {
    const { url } = address();
    const door = control();
    const status = await door.get<{ pid: number; data_dir: string | null }>('/status');
    await door.post('/stop');
    const deadline = io.runtime.monotonic() + MAX_GOODBYE_MS;
    const runs = async () => (await answers(() => door.get('/health'))) || holdsState(status);
    while (await runs()) {
      if (io.runtime.monotonic() > deadline)
        throw new CheckFailedError(`process ${status.pid} at ${url} has not ended`);
      await io.runtime.sleep(LOOK_AGAIN_MS);
    }
    out.result({ stopped: true, url }, () => `stopped ${url}`);
  },
});

/** The port closes first; the state is free for the next start when the server has taken its record away. */
function holdsState({ pid, data_dir: dataDir }: { pid: number; data_dir: string | null }): boolean {
  return dataDir !== null && readServerRecord(dataDir)?.pid === pid;
}

async function answers(ask: () => Promise<unknown>): Promise<boolean> {
  try {
    await ask();
    return true;
  } catch (error) {
    if (error instanceof UnreachableError) return false;
    throw error;
  }
}
