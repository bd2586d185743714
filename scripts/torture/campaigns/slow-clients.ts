import fs from 'node:fs';
import http from 'node:http';
import net, { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Campaign, CampaignOptions, CampaignResult } from '../campaign.ts';
import { Partner } from '../partner.ts';
import { Random } from '../random.ts';
import { inWorkspace, type Server, type Workspace } from '../server.ts';

/** How long other clients may wait; a test machine may be busy. */
const WITHIN_MS = { full: 5_000, short: 15_000 };

type Client = (socket: net.Socket, random: Random) => Promise<void>;

const LONG_HEAD =
  'POST /api/partner/v1/orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n';

/** Behaviors of slow and disconnecting clients. */
const CLIENTS: Record<string, Client> = {
  'says nothing': () => sleep(300),
  'sends a head, a byte at a time': (socket, random) =>
    drip(socket, `GET /_sandbox/status HTTP/1.1\r\nX: ${'y'.repeat(50)}`, random),
  'sends a body, a byte at a time': async (socket, random) => {
    socket.write(`${LONG_HEAD}\r\n`);
    await drip(socket, '{"domain":"a.com"', random);
  },
  'announces more than it sends': async (socket) => {
    socket.write(`${LONG_HEAD}\r\n{"domain"`);
    await sleep(100);
  },
  'hangs up before the response': async (socket) => {
    socket.write('GET /_sandbox/inventory/export HTTP/1.1\r\nHost: localhost\r\n\r\n');
  },
  'does not read its response': async (socket) => {
    socket.pause();
    socket.write('GET /_sandbox/inventory/export HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(20));
    await sleep(500);
  },
  'listens to a stream and disconnects': async (socket, random) => {
    socket.write('GET /_sandbox/requests/stream HTTP/1.1\r\nHost: localhost\r\n\r\n');
    await sleep(random.int(0, 400));
  },
  'waits and disconnects': async (socket, random) => {
    const body = '{"for":"event","type":"order.settled","timeout_ms":60000}';
    socket.write(
      `POST /_sandbox/wait HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await sleep(random.int(0, 200));
  },
  'imports and disconnects': async (socket, random) => {
    socket.write(
      'POST /_sandbox/inventory/import HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n',
    );
    for (let n = 0; n < 20; n += 1) {
      const line = `{"domain":"slow-${random.int(0, 1e9)}.com","price_cents":1000}\n`;
      socket.write(`${line.length.toString(16)}\r\n${line}\r\n`);
      await sleep(random.int(0, 10));
    }
  },
};

/** Slow and disconnecting clients and receivers: other clients are served, and no connection is leaked. */
export const slowClients: Campaign = {
  name: 'slow-clients',
  async run(options) {
    const receiver = await slowReceiver(new Random('slow-clients', options.seed).for('receiver'));
    try {
      return await inWorkspace((workspace) => runClients(workspace, receiver, options));
    } finally {
      receiver.close();
    }
  },
};

async function runClients(
  workspace: Workspace,
  receiver: { url: string; close(): void },
  { seed, size }: CampaignOptions,
): Promise<CampaignResult> {
  const random = new Random('slow-clients', seed);
  const server = await workspace.start({
    args: ['--inventory', size === 'full' ? '3000' : '1000', '--no-rate-limits'],
  });
  const findings: string[] = [];
  const partner = new Partner(server.url);
  await partner.call('PUT', '/webhooks', { url: receiver.url, secret: 's' });
  await server.control.get('/status');
  await (await fetch(`${server.url}/_sandbox/`)).text();
  const before = descriptorsOf(server);

  const names = Object.keys(CLIENTS);
  const total = size === 'full' ? 2_000 : 45;
  let begun = 0;
  const visit = async () => {
    while (begun < total) {
      begun += 1;
      const name = names[begun % names.length] ?? '';
      await connect(server, CLIENTS[name] ?? (() => sleep(0)), random.for(begun));
    }
  };
  let over = false;
  const watching = watch(server, partner, () => over);
  await Promise.all(Array.from({ length: 40 }, visit));
  over = true;
  const { slowest, calls, failures } = await watching;
  findings.push(...failures);
  if (slowest > WITHIN_MS[size]) findings.push(`a call took ${slowest} ms meanwhile`);

  receiver.close();
  const after = await settled(server, before);
  if (after > before) findings.push(`${after - before} descriptors are left open`);
  if (server.stderr() !== '') findings.push(`the server wrote: ${server.stderr()}`);
  if ((await server.stop()) !== 0) findings.push('the server did not end cleanly');
  const figures = {
    clients: total,
    'calls of others meanwhile': calls,
    'slowest of them, ms': slowest,
    'open descriptors before and after': `${before} and ${after}`,
  };
  return { figures, findings };
}

function connect({ url }: Server, run: Client, random: Random): Promise<void> {
  return new Promise((resolve) => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    socket.on('error', () => {});
    socket.on('close', () => resolve());
    socket.once('connect', () => {
      run(socket, random).then(() =>
        random.chance(0.5) ? socket.destroy() : socket.resetAndDestroy(),
      );
    });
  });
}

async function drip(socket: net.Socket, text: string, random: Random): Promise<void> {
  for (const character of text) {
    socket.write(character);
    await sleep(random.int(0, 10));
  }
}

/** Reads and sells like an ordinary client; each sale queues a delivery to the slow receiver. */
async function watch(server: Server, partner: Partner, over: () => boolean) {
  const failures: string[] = [];
  let slowest = 0;
  let calls = 0;
  const sale = {
    domain: 'held-order.test',
    expected_price: 250_000,
    currency: 'USD',
    buyer: { email: 'a@b.co' },
  };
  while (!over()) {
    const begun = performance.now();
    await server.control.get('/health');
    const { status } = await partner.call('POST', '/v1/orders', sale, {
      'Idempotency-Key': `k${calls}`,
    });
    if (status !== 201) failures.push(`an order got ${status} meanwhile`);
    slowest = Math.max(slowest, Math.round(performance.now() - begun));
    calls += 2;
    await sleep(20);
  }
  return { slowest, calls, failures };
}

/** Starts a receiver that responds late, in pieces, or not at all. */
async function slowReceiver(random: Random): Promise<{ url: string; close(): void }> {
  const server = http.createServer((request, response) => {
    request.resume();
    const kind = random.int(0, 3);
    if (kind === 0) request.socket.resetAndDestroy();
    else if (kind === 1) setTimeout(() => response.writeHead(200).end(), random.int(0, 300));
    else if (kind === 2) response.writeHead(200).write('x');
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** Returns the number of open descriptors of a process; 0 if the system does not report it. */
export function descriptorsOf({ pid }: Server): number {
  const dir = `/proc/${pid}/fd`;
  return fs.existsSync(dir) ? fs.readdirSync(dir).length : 0;
}

/** Waits until at most `wanted` descriptors are open, or for a while. @returns their number */
async function settled(server: Server, wanted: number): Promise<number> {
  // Idle connections of this process to the server are closed by the server after 5 s.
  for (let n = 0; n < 100 && descriptorsOf(server) > wanted; n += 1) await sleep(100);
  return descriptorsOf(server);
}
