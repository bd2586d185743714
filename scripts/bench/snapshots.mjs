import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { signedGet } from './signed.mjs';

/**
 * Measures save, restore, fork and reset of a world on disk over a socket, in ms and alternating rounds, and a copy of
 * a file of the same size as the lower bound.
 */
export async function measureSnapshots(root, inventory, rounds) {
  const { createSandbox } = await import(pathToFileURL(path.join(root, 'dist/index.mjs')).href);
  const dataDir = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
  const sandbox = await createSandbox({ dataDir, inventory, rateLimits: false });
  const { control, url } = sandbox;
  const file = path.join(dataDir, 'worlds/default.db');
  const copy = path.join(dataDir, 'copy.db');
  const acts = {
    copy: () => fs.copyFileSync(file, copy),
    reset: () => control.post('/reset'),
    fork: () => control.post('/worlds', { name: 'fork', fork: 'default' }),
    save: () => control.post('/snapshots', { name: 'bench', replace: true }),
    restore: () => control.post('/snapshots/bench/restore'),
  };
  const samples = Object.fromEntries(Object.keys(acts).map((name) => [name, []]));
  for (let round = -2; round < rounds; round += 1) {
    for (const [name, act] of Object.entries(acts)) {
      const begun = performance.now();
      await act();
      const took = performance.now() - begun;
      // The first rounds fill caches.
      if (round >= 0) samples[name].push(took);
      await answersAsBefore(url);
    }
    await control.delete('/worlds/fork');
  }
  const bytes = fs.statSync(file).size;
  await sandbox.close();
  fs.rmSync(dataDir, { recursive: true });
  return { samples, bytes };
}

/** Checks that the next request finds the domain that is always listed. */
async function answersAsBefore(url) {
  const { port, path: target, headers } = signedGet(Number(new URL(url).port));
  const answer = await fetch(`http://127.0.0.1:${port}${target}`, { headers });
  await answer.arrayBuffer();
  if (answer.status !== 200) throw new Error(`the sandbox answered ${answer.status}`);
}
