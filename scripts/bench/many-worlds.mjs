import { callControl } from './operator-acts.mjs';
import { startSandlot } from './servers.mjs';

/** Measures the stop of a sandbox with `worlds` small worlds, in ms. */
export async function measureStop(root, worlds, port) {
  const server = await startSandlot(root, port, ['--inventory', '200']);
  for (let n = 1; n < worlds; n += 1) {
    await callControl(port, 'POST', '/worlds', { name: `world-${n}` });
  }
  return server.stop();
}
