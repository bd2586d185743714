import { spawn } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { ReceiverTestReport } from '../../../src/tools/receiver-tests/result.ts';
import { ROOT } from '../../support/sandlot-process.ts';
import { runQuickly, SECRET, startReceiver } from './receiver.ts';

/** A run in a process of its own, from the built package. */
async function runInProcess(
  url: string,
): Promise<{ report: ReceiverTestReport; addedMegabytes: number }> {
  const script = `
    import { testReceiver } from ${JSON.stringify(pathToFileURL(path.join(ROOT, 'dist/index.mjs')).href)};
    // The largest size that the system tells includes that of the parent before the start.
    const before = process.memoryUsage.rss();
    let peak = before;
    const measure = () => { peak = Math.max(peak, process.memoryUsage.rss()); };
    const measuring = setInterval(measure, 5);
    const report = await testReceiver(${JSON.stringify({ secret: SECRET, url })});
    measure();
    clearInterval(measuring);
    const addedMegabytes = (peak - before) / 1024 / 1024;
    console.log(JSON.stringify({ report, addedMegabytes }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(output);
}

test('a failed TLS handshake leaves all checks unseen, with the reason', async () => {
  const { url } = await startReceiver();
  const report = await runQuickly({ url: url.replace('http:', 'https:') });
  expect(report).toMatchObject({ ok: false, totals: { pass: 0, fail: 0, advice: 0, unseen: 56 } });
  expect(report.checks[0]?.reason).toMatch(
    /^The receiver cannot be reached: the TLS handshake failed; use http:\/\/ if it has no certificate; if/,
  );
});

test('a run adds less than 64 MB of memory, also if every response is endless', async () => {
  const block = Buffer.alloc(1024 * 1024);
  let sent = 0;
  const { url } = await startReceiver({
    respond: (status, response) => {
      response.writeHead(status);
      const more = () => {
        if (response.destroyed) return;
        sent += block.length;
        response.write(block);
      };
      response.on('drain', more);
      more();
    },
  });
  const { report, addedMegabytes } = await runInProcess(url);
  expect(report.totals).toEqual({ pass: 49, fail: 0, advice: 0, unseen: 7 });
  // About 36; Node.js and the package take 67.
  expect(addedMegabytes).toBeLessThan(64);
  expect(sent).toBeGreaterThan(10 * block.length);
});
