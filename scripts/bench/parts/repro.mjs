import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { median } from '../print.mjs';

const REQUESTS = 400;
const EXPORTED = 2_000;

/** CPU per request with recording to without, alternating, and the time of export and replay to that of serving. */
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
  for (const [name, request] of Object.entries({ GET: get, POST: post })) {
    const ratios = [];
    for (let round = 0; round < rounds; round += 1) {
      const used = { on: 0, off: 0 };
      for (const each of round % 2 ? ['on', 'off'] : ['off', 'on']) {
        used[each] = await cpuOf(each === 'on' ? on : off, request);
      }
      ratios.push(used.on / used.off);
    }
    console.log(`  ${name.padEnd(30)} ${median(ratios).toFixed(2)}`);
  }
  await Promise.all([on.close(), off.close()]);

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
}

async function domainsOf(at) {
  const response = await at.call({ method: 'GET', target: '/api/partner/v1/domains/search?q=a' });
  return response.json();
}

async function cpuOf(at, request) {
  const before = process.cpuUsage();
  for (let n = 0; n < REQUESTS; n += 1) await at.call(request);
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
