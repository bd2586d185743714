import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const REQUESTS = 1_000;
const STEPS = 20;

/** How long commands take with a file of 1,000 requests, in ms by name. An order is rejected for an expired quote. */
export async function measureReproCommands(root, createSandbox, rounds) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-bench-'));
  const file = path.join(dir, 'bug.repro.gz');
  const samples = { replay: [], why: [], 'show --diff': [], minimize: [], 'step back': [] };
  try {
    fs.writeFileSync(file, await recorded(createSandbox));
    const start = (...args) =>
      spawn(process.execPath, [path.join(root, 'bin/sandlot.cjs'), ...args]);
    const took = async (...args) => {
      const begun = performance.now();
      const [code] = await once(start('repro', ...args).on('error', console.error), 'exit');
      if (code !== 0) throw new Error(`repro ${args.join(' ')} exited with ${code}`);
      return performance.now() - begun;
    };
    for (let round = 0; round < rounds; round += 1) {
      samples.replay.push(await took('replay', file));
      samples.why.push(await took('why', file, 'quote.state'));
      samples['show --diff'].push(await took('show', file, '--input', String(REQUESTS), '--diff'));
      samples.minimize.push(await took('minimize', file, '--force'));
    }
    const opened = start('repro', 'open', file, '--json');
    samples['step back'] = await stepsBack(opened, rounds);
    opened.kill('SIGTERM');
    await once(opened, 'exit');
  } finally {
    fs.rmSync(dir, { recursive: true });
  }
  return samples;
}

async function recorded(createSandbox) {
  const at = await createSandbox({ port: false, rateLimits: false, seed: 'bench' });
  let keys = 0;
  const call = async (method, target, body) => {
    keys += 1;
    const headers = method === 'POST' ? { 'Idempotency-Key': `bench-${keys}` } : {};
    const request = { method, target: `/api/partner/v1${target}`, headers, ...(body && { body }) };
    return (await at.call(request)).json();
  };
  const { domains } = await call('GET', '/domains/search?q=a');
  const [{ domain }, { domain: other }] = domains;
  const { quote_id } = await call('POST', '/quotes', { domain });
  for (let n = 0; n < REQUESTS; n += 1) {
    if (n % 2) await call('POST', '/quotes', { domain: other });
    else await call('GET', `/pricing?domain=${other}`);
  }
  await at.control.post('/clock/advance', { by: '3h' });
  await call('POST', '/orders', { quote_id, external_payment_ref: 'bench' });
  const { bytes } = await at.exportRepro({ since: '1h' });
  await at.close();
  return bytes;
}

async function stepsBack(opened, rounds) {
  let printed = '';
  for await (const chunk of opened.stdout) {
    printed += chunk;
    if (printed.trimEnd().endsWith('}')) break;
  }
  const { url } = JSON.parse(printed);
  const samples = [];
  for (let round = 0; round < rounds; round += 1) {
    const begun = performance.now();
    for (let n = 0; n < STEPS; n += 1) {
      const body = JSON.stringify({ by: -1 });
      const response = await fetch(`${url}/_sandbox/repro/step`, { method: 'POST', body });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    }
    samples.push((performance.now() - begun) / STEPS);
  }
  return samples;
}
