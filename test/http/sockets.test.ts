import { once } from 'node:events';
import net from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { signPartnerRequest } from '../../src/client/partner-client.ts';
import { MAX_DISCARDED_BYTES } from '../../src/http/response.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { orderBody } from '../support/orders.ts';
import { sandbox, sharedSandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { overWire } from '../support/wire.ts';

/** All that comes back for these bytes, until the server ends the connection. */
function exchange(at: InProcessSandbox, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(Number(new URL(at.url).port), '127.0.0.1');
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk.toString();
    });
    socket.on('end', () => resolve(response));
    socket.on('error', reject);
    socket.write(bytes);
  });
}

async function orderBytes(at: InProcessSandbox, headers: Record<string, string>): Promise<string> {
  const body = JSON.stringify(orderBody(await seededListing(1)));
  const request = { method: 'POST', target: '/api/partner/v1/orders', body };
  const signed = signPartnerRequest(at.url, at.credential, request, Date.now());
  const lines = Object.entries({
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Idempotency-Key': 'k',
    ...signed.headers,
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /api/partner/v1/orders HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

test('a request gets its response even if garbage follows it', async () => {
  const at = await sandbox({ port: 0 });
  const response = await exchange(at, `${await orderBytes(at, {})}garbage\r\n\r\n`);
  expect(response).toMatch(/^HTTP\/1\.1 201 /);
  expect(response).toContain('"status":"EXTERNALLY_PAID"');
});

describe('requests that are pipelined', () => {
  /** A connection whose first request is being handled, with one that creates a world after it. */
  async function pipelined() {
    const begun = Promise.withResolvers<void>();
    const held = Promise.withResolvers<void>();
    const sleep = () => {
      begun.resolve();
      return held.promise;
    };
    const at = await sandbox({ port: 0, runtime: { ...systemRuntime, sleep } });
    const target = '/api/partner/v1/domains/slow.test';
    const request = { method: 'GET', target };
    const { headers } = signPartnerRequest(at.url, at.credential, request, Date.now());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const { host, port } = new URL(at.url);
    const socket = net.connect(Number(port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: ${host}\r\n${lines.join('')}\r\n` +
        `POST /_sandbox/worlds HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 13\r\nConnection: close\r\n\r\n{"name":"w1"}`,
    );
    await begun.promise;
    return { at, socket, release: held.resolve };
  }

  /** Over a connection of its own: what came before on other connections has been read. */
  async function worldsOf(at: InProcessSandbox): Promise<string[]> {
    const response = await overWire(at, { method: 'GET', target: '/_sandbox/worlds' });
    const { worlds } = (await response.json()) as { worlds: { name: string }[] };
    return worlds.map(({ name }) => name);
  }

  test('are handled one after the other', async () => {
    const { at, socket, release } = await pipelined();
    expect(await worldsOf(at)).toEqual(['default']);
    release();
    const received = await text(socket);
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 201']);
    expect(await worldsOf(at)).toEqual(['default', 'w1']);
  });

  test('are not handled once the client has closed the connection', async () => {
    const { at, socket, release } = await pipelined();
    socket.resetAndDestroy();
    expect(await worldsOf(at)).toEqual(['default']);
    release();
    await at.idle();
    expect(await worldsOf(at)).toEqual(['default']);
  });
});

test('garbage gets an error in the API’s envelope', async () => {
  const at = await sandbox({ port: 0 });
  const response = await exchange(at, 'garbage\r\n\r\n');
  expect(response).toMatch(/^HTTP\/1\.1 400 /);
  expect(response).toContain('"code":"validation_error"');
});

test('a body that is too large gets one response, even if the client ends it early', async () => {
  const at = await sandbox({ port: 0 });
  const socket = net.connect(Number(new URL(at.url).port), '127.0.0.1');
  socket.write(
    'POST /api/partner/v1/quotes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000000\r\n\r\n{',
  );
  const [first] = await once(socket, 'data');
  socket.end();
  expect(`${first}${await text(socket)}`.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 413']);
});

test('a request with an unknown Expect header is accepted', async () => {
  const at = await sandbox({ port: 0 });
  const response = await exchange(
    at,
    await orderBytes(at, { Expect: '200-ok', Connection: 'close' }),
  );
  expect(response).toMatch(/^HTTP\/1\.1 201 /);
});

test.each([
  ['small is asked for', 20, 'HTTP/1.1 100 Continue'],
  [
    'a body that is too large is rejected before it is sent',
    2_000_000,
    'HTTP/1.1 413 Payload Too Large',
  ],
])('a body that is announced as %s', async (_what, length, firstLine) => {
  const at = await sandbox({ port: 0 });
  const socket = net.connect(Number(new URL(at.url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.write(
    `POST /api/partner/v1/quotes HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: ${length}\r\n\r\n`,
  );
  const [response] = await once(socket, 'data');
  expect(String(response).split('\r\n')[0]).toBe(firstLine);
});

/** Sends `head`, then a body that never ends. @returns what came back and how much was taken, when it is closed */
function sendWithoutEnd(
  at: InProcessSandbox,
  head: string,
): Promise<{ response: string; taken: number }> {
  return new Promise((resolve) => {
    const socket = net.connect({ port: Number(new URL(at.url).port), allowHalfOpen: true });
    const chunk = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`);
    let response = '';
    socket.on('data', (bytes) => {
      response += bytes.toString();
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve({ response, taken: socket.bytesWritten }));
    const more = () => {
      while (!socket.destroyed && socket.write(chunk)) {}
    };
    socket.on('drain', more);
    socket.write(`${head}\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n`);
    socket.write('Content-Type: text/csv\r\n\r\n', more);
  });
}

const SOCKET_BUFFERS = 24 * 1024 * 1024;

describe('a body without end', async () => {
  const at = await sharedSandbox({ port: 0 });

  // Each waits for the server to close the connection.
  test.concurrent.for([
    ['GET /api/partner/v1/orders HTTP/1.1', '401'],
    ['POST /api/partner/v1/orders HTTP/1.1', '413'],
    ['GET /_sandbox/health HTTP/1.1', '200'],
    ['POST /_sandbox/clock/freeze HTTP/1.1', '4'],
    ['GET /checkout HTTP/1.1', '4'],
    ['POST /_sandbox/inventory/import HTTP/1.1', '400', 'line 1: longer than 262144 bytes'],
  ])(
    'after %s is read to a limit, and its sender gets the response',
    async ([head = '', status, message = '']) => {
      const { response, taken } = await sendWithoutEnd(at, head);
      expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
      expect(response).toContain(message);
      expect(taken).toBeLessThan(MAX_DISCARDED_BYTES + SOCKET_BUFFERS);
    },
  );
});

test('a body that comes with a GET leaves the connection open for the next request', async () => {
  const at = await sandbox({ port: 0 });
  const get = 'GET /_sandbox/health HTTP/1.1\r\nHost: localhost\r\n';
  const body = 'x'.repeat(300_000);
  const response = await exchange(
    at,
    `${get}Content-Length: ${body.length}\r\n\r\n${body}${get}Connection: close\r\n\r\n`,
  );
  expect(response.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
});

test('closing the server does not wait for a connection without a request', {
  timeout: 8_000,
}, async () => {
  const at = await sandbox({ port: 0 });
  const socket = net.connect(Number(new URL(at.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  // It waits 10 seconds for requests in flight.
  await Promise.all([at.close(), closed]);
});
