import { emptyFolder, startBare, startSandlot } from './servers.mjs';

/**
 * Measures the time from spawn to the first 200, in alternating rounds: a bare Hono server, sandlot with a fresh state,
 * and sandlot on that state after a restart.
 */
export async function* measureColdStart(root, rounds) {
  const samples = { bare: [], fresh: [], warm: [] };
  for (let round = -1; round < rounds; round += 1) {
    const state = emptyFolder();
    const starts = {
      bare: () => startBare(root),
      fresh: () => startSandlot(root, { dataDir: state.path }),
      warm: () => startSandlot(root, { dataDir: state.path }),
    };
    for (const [name, start] of Object.entries(starts)) {
      const server = await start();
      await server.stop();
      // The first round fills caches.
      if (round >= 0) samples[name].push(server.startMs);
    }
    state.remove();
  }
  const { bare, fresh, warm } = samples;
  yield {
    title: 'cold start to the first 200',
    unit: 'ms',
    base: ['bare Hono', bare],
    rows: [
      ['fresh state, 5,000 domains', fresh],
      ['existing state', warm],
    ],
  };
}
