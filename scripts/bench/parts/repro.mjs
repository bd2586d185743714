import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { measureExportBesideRequests } from '../export-beside-requests.mjs';
import { median, printTimes } from '../print.mjs';
import { measureReproCommands } from '../repro-commands.mjs';
import { startSandlot } from '../servers.mjs';
import { signedGet } from '../signed.mjs';

const REQUESTS = 400;
const EXPORTED = 2_000;
const ACTS = 20;
const STARTS = 4;

/**
 * Measures the CPU time per request with and without recording, and the time of export and replay relative to serving.
 */
export async function run(root, rounds) {
  const { createSandbox, replayRepro } = await import(
    pathToFileURL(path.join(root, 'dist/index.mjs')).href
  );
  const open = (recording) =>
    createSandbox({ recording, port: false, rateLimits: false, seed: 'bench' });
  const [on, off] = [await open(true), await open(false)];
  const { domains } = await domainsOf(on);
  const get = { method: 'GET', target: `/api/partner/v1/pricing?domain=${domains[0].domain}` };
  const post = {
    method: 'POST',
    target: '/api/partner/v1/quotes',
    body: { domain: domains[0].domain },
  };
  console.log('\nRecording on to off, CPU per request');
  const acts = {
    GET: (at) => repeat(REQUESTS, () => at.call(get)),
    POST: (at) => repeat(REQUESTS, () => at.call(post)),
    reset: (at) => repeat(ACTS, () => at.reset()),
    fork: (at) => repeat(ACTS, () => forkOnce(at)),
  };
  for (const [name, act] of Object.entries(acts)) {
    const ratio = await ratioOf(rounds, (isOn) => cpuOf(isOn ? on : off, act));
    console.log(`  ${name.padEnd(30)} ${ratio.toFixed(2)}`);
  }
  await Promise.all([on.close(), off.close()]);
  const cold = await ratioOf(rounds, (isOn) => cpuOfStarts(root, isOn));
  console.log(`  ${'cold start'.padEnd(30)} ${cold.toFixed(2)}`);

  const at = await open(true);
  const serving = await timeOf(async () => {
    for (let n = 0; n < EXPORTED; n += 1) await at.call(n % 2 ? get : post);
  });
  let exported;
  const exporting = await timeOf(async () => {
    exported = await at.exportRepro();
  });
  const replaying = await timeOf(() => replayRepro(exported.bytes));
  await at.close();
  console.log(`\n${EXPORTED} requests, to serving them`);
  console.log(`  export                         ${(exporting / serving).toFixed(2)}`);
  console.log(`  replay                         ${(replaying / serving).toFixed(2)}`);
  console.log(`  size of the file               ${Math.round(exported.bytes.length / 1024)} KB`);

  const commands = await measureReproCommands(root, createSandbox, Math.min(rounds, 5));
  const { replay, ...others } = commands;
  printTimes('\nCommands, 1,000 requests', 'repro replay', replay, Object.entries(others));

  const { alone, during } = await measureExportBesideRequests(root, Math.min(rounds, 5));
  const ratio = median(during) / median(alone);
  console.log('\np99 of other requests during an export of 4,500, to alone');
  console.log(
    `  ${'signed GET'.padEnd(30)} ${ratio.toFixed(2)} (${median(alone).toFixed(1)} ms alone)`,
  );
}

/** Median of the ratios of on to off, which take turns in being first. */
async function ratioOf(rounds, measure) {
  const ratios = [];
  for (let round = 0; round < rounds; round += 1) {
    const used = { on: 0, off: 0 };
    for (const each of round % 2 ? ['on', 'off'] : ['off', 'on']) {
      used[each] = await measure(each === 'on');
    }
    ratios.push(used.on / used.off);
  }
  return median(ratios);
}

async function repeat(times, act) {
  for (let n = 0; n < times; n += 1) await act();
}

async function forkOnce(at) {
  await at.control.post('/worlds', { name: 'fork', fork: 'default' });
  await at.control.delete('/worlds/fork');
}

/** CPU of sandboxes from their start to the response of their first request; the system counts in 10 ms. */
async function cpuOfStarts(root, isOn) {
  let used = 0;
  for (let n = 0; n < STARTS; n += 1) {
    const server = await startSandlot(root, 22_410, isOn ? [] : ['--no-recording']);
    const { path: target, headers } = signedGet(server.port);
    const response = await fetch(`http://127.0.0.1:${server.port}${target}`, { headers });
    if (!response.ok) throw new Error(await response.text());
    used += server.cpuSeconds();
    await server.stop();
  }
  return used;
}

async function domainsOf(at) {
  const response = await at.call({ method: 'GET', target: '/api/partner/v1/domains/search?q=a' });
  return response.json();
}

async function cpuOf(at, act) {
  const before = process.cpuUsage();
  await act(at);
  // The log is written after the responses.
  await at.control.get('/requests', { limit: 1 });
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

async function timeOf(act) {
  const begun = performance.now();
  await act();
  return performance.now() - begun;
}
