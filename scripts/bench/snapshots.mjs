import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { emptyFolder } from './servers.mjs';
import { PRICING } from './signed.mjs';

/** Measures reset, fork, save and restore of worlds of both sizes. */
export async function* measureSnapshots(root, rounds) {
  for (const inventory of [5_000, 100_000]) yield await measureWorld(root, inventory, rounds);
}

/**
 * Measures a world on disk over a socket, in alternating rounds, and a copy of a file of the same size as the lower
 * bound.
 */
async function measureWorld(root, inventory, rounds) {
  const { createSandbox } = await import(pathToFileURL(path.join(root, 'dist/index.mjs')).href);
  const state = emptyFolder();
  const sandbox = await createSandbox({ dataDir: state.path, inventory, rateLimits: false });
  const { control } = sandbox;
  const file = path.join(state.path, 'worlds/default.db');
  const actions = {
    copy: () => fs.copyFileSync(file, path.join(state.path, 'copy.db')),
    reset: () => control.post('/reset'),
    fork: () => control.post('/worlds', { name: 'fork', fork: 'default' }),
    'snapshot save': () => control.post('/snapshots', { name: 'bench', replace: true }),
    'snapshot restore': () => control.post('/snapshots/bench/restore'),
  };
  const samples = Object.fromEntries(Object.keys(actions).map((name) => [name, []]));
  for (let round = -2; round < rounds; round += 1) {
    for (const [name, act] of Object.entries(actions)) {
      const begun = performance.now();
      await act();
      const took = performance.now() - begun;
      // The first rounds fill caches.
      if (round >= 0) samples[name].push(took);
      await checkResponse(sandbox);
    }
    await control.delete('/worlds/fork');
  }
  const size = `${(fs.statSync(file).size / 1e6).toFixed(1)} MB`;
  await sandbox.close();
  state.remove();
  const { copy, ...rows } = samples;
  return {
    title: `a world of ${inventory.toLocaleString('en')} domains, ${size}, over HTTP`,
    unit: 'ms',
    base: ['copying a file of that size', copy],
    rows: Object.entries(rows),
  };
}

/** Checks that the next request finds the domain that is always listed. */
async function checkResponse(sandbox) {
  const response = await sandbox.call({ method: 'GET', target: PRICING });
  if (response.status !== 200) throw new Error(`the sandbox answered ${response.status}`);
}
