import { once } from 'node:events';
import net from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { emptyDirectory, type ServerProcess, startLimited } from '../support/sandlot-process.ts';

const posixTest = test.skipIf(process.platform === 'win32');

async function connect({ url }: ServerProcess): Promise<net.Socket> {
  const socket = net.connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
  socket.on('error', () => {});
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}

/** The status line of the response to a GET on an open connection; empty if the server closed it instead. */
function statusOn(socket: net.Socket, target: string): Promise<string> {
  return new Promise((resolve) => {
    socket.once('data', (chunk) => resolve(chunk.toString().split('\r\n', 1)[0] ?? ''));
    socket.once('close', () => resolve(''));
    if (socket.destroyed) resolve('');
    socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  });
}

posixTest('a sandbox that is out of descriptors at first serves everything later', async () => {
  const server = await startLimited(emptyDirectory(), { ulimit: '-n 64' }, '--inventory', '50');
  let complaints = '';
  server.child.stderr?.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  // Usually before it has loaded what a control call needs; the partner API needs no more.
  const sockets = await Promise.all(Array.from({ length: 64 }, () => connect(server)));
  const statuses = await Promise.all(
    sockets.map((each) => statusOn(each, '/api/partner/v1/orders')),
  );
  expect(statuses).toContain('');
  const open = sockets.find((_, n) => statuses[n] === 'HTTP/1.1 401 Unauthorized');
  if (!open) throw new Error('no connection was taken');
  const status = await statusOn(open, '/_sandbox/status');
  if (status !== 'HTTP/1.1 200 OK') {
    expect(status).toBe('HTTP/1.1 500 Internal Server Error');
    expect(complaints).toContain('EMFILE');
  }
  for (const socket of sockets) socket.destroy();
  // Its descriptors are free again a moment after this side has closed the connections.
  await vi.waitFor(
    async () => {
      for (const page of ['/_sandbox/status', '/_sandbox/', '/_sandbox/openapi.json']) {
        const response = await fetch(server.url + page);
        await response.text();
        expect(response.status).toBe(200);
      }
    },
    { timeout: 120_000 },
  );
  expect(server.child.exitCode).toBe(null);
});
