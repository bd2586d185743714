import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import type { ReceiverTestOptions } from '../../../src/tools/receiver-tests/options.ts';
import type { ReceiverTestReport } from '../../../src/tools/receiver-tests/result.ts';
import { ROOT } from '../../support/sandlot-process.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { runQuickly, SECRET, startReceiver } from './receiver.ts';

/** A receiver with a certificate for a host name, issued by itself. */
async function tlsReceiver(name: string): Promise<{ url: string; certificate: string }> {
  const folder = stateFolder();
  const [key, certificate] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=DNS:${name}`];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const { status } = spawnSync('openssl', [
    ...['req', '-x509', '-days', '2', ...curve, ...subject],
    ...['-keyout', key, '-out', certificate],
  ]);
  if (status !== 0)
    throw new Error('these tests need the command openssl; install it and run again');
  const server = https.createServer(
    { key: fs.readFileSync(key), cert: fs.readFileSync(certificate) },
    (_request, response) => response.writeHead(200).end(),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `https://localhost:${port}/webhooks`, certificate };
}

/** A run in a process of its own, from the built package. */
async function runInProcess(
  options: Pick<ReceiverTestOptions, 'url' | 'only'>,
  env: Record<string, string> = {},
): Promise<{ report: ReceiverTestReport; addedMegabytes: number }> {
  const script = `
    import { testReceiver } from ${JSON.stringify(pathToFileURL(path.join(ROOT, 'dist/index.mjs')).href)};
    // The largest size that the system tells includes that of the parent before the start.
    const before = process.memoryUsage.rss();
    let peak = before;
    const measure = () => { peak = Math.max(peak, process.memoryUsage.rss()); };
    const measuring = setInterval(measure, 5);
    const report = await testReceiver(${JSON.stringify({ secret: SECRET, ...options })});
    measure();
    clearInterval(measuring);
    const addedMegabytes = (peak - before) / 1024 / 1024;
    console.log(JSON.stringify({ report, addedMegabytes }));`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await new Promise((resolve) => child.once('close', resolve));
  return JSON.parse(output);
}

const UNREACHED = 'The receiver cannot be reached: ';

test('a certificate that is not trusted leaves all checks unseen, with the reason', async () => {
  const { url } = await tlsReceiver('localhost');
  const report = await runQuickly({ url });
  expect(report).toMatchObject({ ok: false, totals: { pass: 0, fail: 0, advice: 0, unseen: 56 } });
  expect(report.checks[0]?.reason).toBe(
    `${UNREACHED}its certificate is not trusted; set NODE_EXTRA_CA_CERTS to a file with it.`,
  );
  const plain = await startReceiver();
  const { checks } = await runQuickly({ url: plain.url.replace('http:', 'https:') });
  expect(checks[0]?.reason).toBe(
    `${UNREACHED}the TLS handshake failed; use http:// if it has no certificate.`,
  );
});

test('a certificate in NODE_EXTRA_CA_CERTS is trusted for its host name only', async () => {
  for (const [name, expected] of [
    ['localhost', 'pass'],
    ['elsewhere.example', `${UNREACHED}its certificate is for another host name.`],
  ] as const) {
    const { url, certificate } = await tlsReceiver(name);
    const only = ['right.order.settled'];
    const { report } = await runInProcess({ url, only }, { NODE_EXTRA_CA_CERTS: certificate });
    const { result, reason } = report.checks[0] ?? {};
    expect(result === 'pass' ? result : reason).toBe(expected);
  }
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
  const { report, addedMegabytes } = await runInProcess({ url });
  expect(report.totals).toEqual({ pass: 49, fail: 0, advice: 0, unseen: 7 });
  // About 36; Node.js and the package take 67.
  expect(addedMegabytes).toBeLessThan(64);
  expect(sent).toBeGreaterThan(10 * block.length);
});
