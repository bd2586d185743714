import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { forge } from '../support/forged-request.ts';
import { sandbox, sharedSandbox } from '../support/sandbox.ts';

/** All that comes back for these bytes, until the server ends the connection. */
function exchange(at: InProcessSandbox, bytes: string, send: 'write' | 'end' = 'write') {
  return new Promise<string>((resolve, reject) => {
    const socket = net.connect(Number(new URL(at.url).port), '127.0.0.1');
    let response = '';
    socket.on('data', (chunk) => {
      response += chunk.toString();
    });
    socket.on('end', () => resolve(response));
    socket.on('error', reject);
    socket[send](bytes);
  });
}

test('a request gets its response, and no other, even if garbage follows it', async () => {
  const at = await sandbox({ port: 0 });
  const body = '{"domain":"held-order.test"}';
  const target = '/api/partner/v1/quotes';
  const { headers } = forge(at.credential, { method: 'POST', target, body });
  const lines = Object.entries(headers).map((header) => `${header.join(': ')}\r\n`);
  const head = `POST ${target} HTTP/1.1\r\nContent-Length: ${body.length}\r\n${lines.join('')}`;
  const response = await exchange(at, `${head}\r\n${body}garbage\r\n\r\n`);
  expect(response).toMatch(/^HTTP\/1\.1 201 (?!.*HTTP)/s);
});

const LARGE = `X: ${'x'.repeat(17_000)}`;
const QUOTE = 'POST /api/partner/v1/quotes HTTP/1.1\r\nConnection: close\r\n';
const LARGE_BODY = `${QUOTE}Content-Length: 2000000`;

test.each([
  ['garbage gets 400', 'write', 'garbage', '400 .*"request: not a well-formed HTTP request"'],
  ['headers over 16 KiB get 400', 'write', `GET / HTTP/1.1\r\n${LARGE}`, '400 .*larger than 16384'],
  ['a body over 1 MiB gets 413', 'write', LARGE_BODY, '413 (?!.*HTTP)'],
  ['its early end gets no second response', 'end', LARGE_BODY, '413 (?!.*HTTP)'],
] as const)('%s', async (_title, send, head, responses) => {
  const response = await exchange(await sandbox({ port: 0 }), `${head}\r\n\r\n{}`, send);
  expect(response).toMatch(new RegExp(`^HTTP/1.1 ${responses}`, 's'));
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

/** In MiB; @hono/node-server discards as much of a body that no handler reads. */
const [SOCKET_BUFFERS, DISCARDED] = [24, 64];
const FORM = 'Content-Type: application/x-www-form-urlencoded';

describe('a body without end', async () => {
  const at = await sharedSandbox({ port: 0 });

  // Each waits for the server to close the connection.
  test.concurrent.for([
    ['POST /api/partner/v1/orders HTTP/1.1', '413', 1, 'Connection: close'],
    ['GET /api/partner/v1/orders HTTP/1.1', '413', 1, 'Connection: close'],
    ['HEAD /api/partner/v1/orders HTTP/1.1', '413', 1, 'Connection: close'],
    ['POST /_sandbox/faults HTTP/1.1', '413', 1, 'Connection: close'],
    [`POST /checkout HTTP/1.1\r\n${FORM}`, '413', 1, 'Connection: close'],
    ['POST /_sandbox/clock/freeze HTTP/1.1', '4', DISCARDED, ''],
    ['POST /_sandbox/inventory/import HTTP/1.1', '400', 64 + DISCARDED, 'larger than 64 MiB'],
  ] as const)(
    'after %s is read to a limit, and its sender gets the response',
    async ([head, status, readMb, message]) => {
      const { response, taken } = await sendWithoutEnd(at, head);
      expect(response).toMatch(new RegExp(`^HTTP/1\\.1 ${status}`));
      expect(response).toContain(message);
      expect(taken).toBeLessThan((readMb + SOCKET_BUFFERS) * 1024 * 1024);
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
  timeout: 2_500,
}, async () => {
  const at = await sandbox({ port: 0 });
  const socket = net.connect(Number(new URL(at.url).port), '127.0.0.1');
  await once(socket, 'connect');
  const closed = once(socket, 'close');
  // It waits 3 seconds for requests in flight.
  await Promise.all([at.close(), closed]);
});
