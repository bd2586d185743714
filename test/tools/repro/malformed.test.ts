import { randomUUID } from 'node:crypto';
import net from 'node:net';
import { expect, test } from 'vitest';
import { type InProcessSandbox, replayRepro } from '../../../src/index.ts';
import { signedHeaders } from '../../../src/signing/signature.ts';
import { readRepro } from '../../../src/tools/repro/read-repro.ts';
import { loggedIds } from '../../support/request-log.ts';
import { sharedSandbox } from '../../support/sandbox.ts';
import { BROKEN_BODIES } from './broken-bodies.ts';

const P = '/api/partner/v1';
const JSON_TYPE = 'Content-Type: application/json';

/** Sends bytes as they are. @returns the status of the response; undefined if there was none */
function sendRaw(at: InProcessSandbox, bytes: Buffer): Promise<number | undefined> {
  const { hostname, port } = new URL(at.url);
  return new Promise((resolve) => {
    const socket = net.connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      const [, status] = /^HTTP\/1\.1 (\d{3}) /.exec(text) ?? [];
      resolve(status === undefined ? undefined : Number(status));
    });
    socket.end(bytes);
  });
}

/** A request; `lines` are headers as they are sent. */
function request(
  first: string,
  lines: string[] = [],
  body: string | Buffer = '',
  { host = true }: { host?: boolean } = {},
): Buffer {
  const bytes = Buffer.from(body);
  const all = [
    `${first} HTTP/1.1`,
    ...(host ? ['Host: localhost'] : []),
    'Connection: close',
    ...lines,
    ...(bytes.length > 0 ? [`Content-Length: ${bytes.length}`] : []),
  ];
  return Buffer.concat([Buffer.from(`${all.join('\r\n')}\r\n\r\n`, 'latin1'), bytes]);
}

/** Headers of a rightly signed request, as lines. */
function signed(at: InProcessSandbox, method: string, target: string, body?: Buffer): string[] {
  const timestamp = Math.floor(Date.now() / 1_000);
  const nonce = randomUUID();
  const own = { method, target, timestamp, nonce, ...(body && { body: new Uint8Array(body) }) };
  return Object.entries(signedHeaders(at.credential, own)).map(
    ([name, value]) => `${name}: ${value}`,
  );
}

const isSignable = (target: string) => target.startsWith('/') && !/%zz|[^ -~]/.test(target);

type Case = [what: string, make: (at: InProcessSandbox) => Buffer];

const CASES: Case[] = [
  ...Object.entries(BROKEN_BODIES).flatMap(([what, body]): Case[] => [
    [
      `a signed body with ${what}`,
      (at) => {
        const lines = signed(at, 'POST', `${P}/quotes`, Buffer.from(body));
        return request(`POST ${P}/quotes`, [...lines, JSON_TYPE], body);
      },
    ],
    [
      `a body of the control API with ${what}`,
      () => request('POST /_sandbox/clock/advance', [JSON_TYPE], body),
    ],
    [
      `a form with ${what}`,
      () =>
        request('POST /checkout?pt=x', ['Content-Type: application/x-www-form-urlencoded'], body),
    ],
  ]),
  ...[
    `${P}/domains/search?q=%zz`,
    `${P}/domains/search?q=\xff\xfe`,
    `${P}/domains/search?q=a&q=b&&=&a`,
    `${P}/orders/%ff`,
    `${P}/orders/%2e%2e%2f`,
    `${P}/orders/a%00b`,
    `${P}/../v1/orders`,
    `${P}//orders`,
    `${P}/orders?${'a=b&'.repeat(3_000)}`,
    `http://evil.example${P}/orders`,
    `//evil.example${P}/orders`,
    '/checkout?pt=%zz',
    '/l/%zz',
    '/r/%ff',
    '/brokerage/%e0%a4%a',
  ].map(
    (target): Case => [
      `the target ${target.slice(0, 60)}`,
      (at) =>
        request(`GET ${target}`, signed(at, 'GET', isSignable(target) ? target : `${P}/orders`)),
    ],
  ),
  ...['%zz', '%ff', '..%2f', ''].map(
    (world): Case => [
      `a control request with the world "${world}"`,
      () => request(`POST /_sandbox/clock/freeze?world=${world}`),
    ],
  ),
  ...(
    [
      ['two key ids', ['X-Service-Key-Id: a', 'X-Service-Key-Id: b']],
      ['two content types', ['Content-Type: text/plain', JSON_TYPE]],
      ['two idempotency keys', ['Idempotency-Key: a', 'Idempotency-Key: b']],
      ['headers of other bytes', ['Idempotency-Key: \xff\xfe', 'X-Any: \xc3\x28']],
      ['a large header', [`Idempotency-Key: ${'k'.repeat(12_000)}`]],
      ['an empty header', ['Idempotency-Key:']],
      ['two hosts', ['Host: other']],
      ['an unknown encoding', ['Content-Encoding: br']],
      ['an upgrade', ['Upgrade: websocket', 'Connection: Upgrade']],
    ] as const
  ).map(
    ([what, lines]): Case => [
      what,
      (at) => {
        const body = Buffer.from('{"domain":"a.test"}');
        const own = signed(at, 'POST', `${P}/quotes`, body);
        const has = (name: string) => lines.some((line) => line.startsWith(`${name}:`));
        const rest = own.filter(
          (line) => !/^x-service-key-id/i.test(line) || !has('X-Service-Key-Id'),
        );
        return request(
          `POST ${P}/quotes`,
          [...rest, ...(has('Content-Type') ? [] : [JSON_TYPE]), ...lines],
          body,
        );
      },
    ],
  ),
  [
    'no Host',
    (at) => request(`GET ${P}/orders`, signed(at, 'GET', `${P}/orders`), '', { host: false }),
  ],
  ['HTTP/1.0 without a Host', () => Buffer.from(`POST /_sandbox/clock/freeze HTTP/1.0\r\n\r\n`)],
  ['OPTIONS *', () => request('OPTIONS *')],
  ['an unusual method', () => request(`PROPFIND ${P}/orders`)],
  ['no HTTP', () => Buffer.from('hello\r\n\r\n')],
  ['a truncated head', () => Buffer.from(`GET ${P}/orders HTTP/1.1\r\nHost: lo`)],
  [
    'a truncated body',
    () =>
      Buffer.concat([
        request(`POST ${P}/quotes`, [JSON_TYPE, 'Content-Length: 100']),
        Buffer.from('{"domain":'),
      ]),
  ],
  [
    'a broken chunk',
    () =>
      Buffer.concat([
        request(`POST ${P}/quotes`, ['Transfer-Encoding: chunked']),
        Buffer.from('zz\r\n'),
      ]),
  ],
];

/** One recording of all cases: what each of them has logged, and the files. */
async function recordAll() {
  const at = await sharedSandbox({ port: 0, inventory: 5, rateLimits: false });
  const logged = new Map<string, string[]>();
  const all: string[] = [];
  for (const [what, make] of CASES) {
    await sendRaw(at, make(at));
    // There is something to export, also if the parser of Node.js has rejected all requests.
    await at.call({ method: 'GET', target: `${P}/orders` });
    const recent = (await loggedIds(at, { api: 'all', limit: 10 })).toReversed();
    const own = recent.filter((id) => !all.includes(id));
    logged.set(what, own);
    all.push(...own);
  }
  const files = await Promise.all(
    [false, true].map(async (keepPersonalData) => {
      const { bytes, summary } = await at.exportRepro({ keepPersonalData, last: 1 });
      const requests = readRepro(bytes).requests;
      return { bytes, summary, ids: requests.map(({ request_id }) => request_id) };
    }),
  );
  return { logged, all, files };
}

const { logged, all, files } = await recordAll();

/** Those that a replay sends: calls of the control API that are rejected before they run change nothing. */
test.each(CASES.filter(([what]) => !/control/.test(what)))(
  '%s: what was received is exported',
  (what) => {
    const own = logged.get(what) ?? [];
    expect(own.length).toBeGreaterThan(0);
    for (const { ids } of files) expect(ids.filter((id) => own.includes(id))).toEqual(own);
  },
);

test('the files of all of them are complete, and replay', async () => {
  for (const { bytes, summary, ids } of files) {
    expect(all).toEqual(expect.arrayContaining(ids));
    expect(summary).toMatchObject({ verified: true, problem: null });
    expect(await replayRepro(bytes)).toMatchObject({ result: 'reproduced' });
  }
});
