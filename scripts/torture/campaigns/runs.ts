import { setTimeout as sleep } from 'node:timers/promises';
import type { Campaign, Size } from '../campaign.ts';
import { Partner } from '../partner.ts';
import { exchange } from '../raw.ts';
import { RUN_PATTERNS } from '../run-patterns.ts';
import { inWorkspace, type Server } from '../server.ts';

/** How long others may wait for a request. Quadratic time is 3 s for 15,000 backslashes. */
const WITHIN_MS = { full: 200, short: 1_500 };
/** How much longer than for ordinary text, on a machine that is busy with other things. */
const MAX_TIMES_USUAL = 2;
const ORDINARY = Array.from({ length: 20 }, () => 'ordinary text. ');
/** Of the patterns, every place gets one in so many, by turns. */
const STEP = { full: 1, short: 8 };
const SHORT = 15_000;
const LONG = 1024 * 1024;

interface Place {
  name: string;
  /** Only bodies can be longer than 16 KiB. */
  isBody?: boolean;
  head(run: string): string;
}

const POST = 'Content-Type: application/json\r\n';
const PLACES: readonly Place[] = [
  { name: 'body', isBody: true, head: () => `POST /api/partner/v1/quotes HTTP/1.1\r\n${POST}` },
  { name: 'registration', isBody: true, head: () => `PUT /_sandbox/webhooks HTTP/1.1\r\n${POST}` },
  { name: 'form', isBody: true, head: () => `POST /checkout?pt=x HTTP/1.1\r\n${POST}` },
  { name: 'path', head: (run) => `GET /api/partner/v1/${inUrl(run)} HTTP/1.1\r\n` },
  { name: 'query', head: (run) => `GET /api/partner/v1/orders?x=${inUrl(run)} HTTP/1.1\r\n` },
  { name: 'page', head: (run) => `GET /l/x?${inUrl(run)} HTTP/1.1\r\n` },
  {
    name: 'header',
    head: (run) => `GET /api/partner/v1/orders HTTP/1.1\r\nX-A: ${inHeader(run)}\r\n`,
  },
  {
    name: 'signature',
    head: (run) =>
      `GET /api/partner/v1/orders HTTP/1.1\r\nX-Service-Key-Id: dmk_sandbox_local\r\nX-Service-Timestamp: ${Math.floor(Date.now() / 1000)}\r\nX-Service-Nonce: 0123456789abcdef\r\nX-Service-Signature: ${inHeader(run)}\r\n`,
  },
];

/** Sends runs of short patterns in every part of a request: other requests must not wait while they are handled and logged. */
export const runs: Campaign = {
  name: 'runs',
  run: ({ size }) =>
    inWorkspace(async (workspace) => {
      const server = await workspace.start({ args: ['--inventory', '100', '--no-rate-limits'] });
      const partner = new Partner(server.url);
      await partner.call('PUT', '/webhooks', {
        url: 'http://127.0.0.1:9/',
        secret: 'wh"one\\sec%42',
      });
      const usual = await sendRuns(server, ORDINARY, size);
      const limit = Math.max(WITHIN_MS[size], usual.ms * MAX_TIMES_USUAL);
      let hostile = await sendRuns(server, RUN_PATTERNS, size);
      const findings = [...usual.findings, ...hostile.findings];
      // The machine may have stalled: what is slow is slow again.
      if (hostile.ms > limit) {
        hostile = await sendRuns(server, RUN_PATTERNS, size);
        findings.push(...hostile.findings);
      }
      if (hostile.ms > limit) findings.push(`a call took ${hostile.ms} ms during ${hostile.what}`);
      if (server.stderr() !== '') findings.push(`the server wrote: ${server.stderr()}`);
      if ((await server.stop()) !== 0) findings.push('the server did not end cleanly');
      const figures = {
        requests: usual.sent + hostile.sent,
        'slowest call of others, ms': hostile.ms,
        'during ordinary text, ms': usual.ms,
      };
      return { figures, findings };
    }),
};

/** Sends runs of each pattern in each place, and calls the server meanwhile. */
async function sendRuns(server: Server, patterns: readonly string[], size: Size) {
  const slowest = { ms: 0, what: '', sent: 0, findings: [] as string[] };
  let current = '';
  let over = false;
  const isOver = () => over;
  const watching = watch(server, isOver, (ms) => {
    if (ms > slowest.ms) Object.assign(slowest, { ms, what: current });
  });
  for (const [n, place] of PLACES.entries()) {
    for (const [m, pattern] of patterns.entries()) {
      if ((m + n) % STEP[size] !== 0) continue;
      for (const length of place.isBody && size === 'full' ? [SHORT, LONG] : [SHORT]) {
        current = `${length} × ${JSON.stringify(pattern)} in the ${place.name}`;
        const { end, responses } = await exchange(server.url, requestOf(place, pattern, length));
        slowest.sent += 1;
        const isServed = end !== 'silent' && responses.length > 0;
        if (!isServed) slowest.findings.push(`no response to ${current}`);
      }
      // Reading the log writes, and so redacts, everything before it.
      await server.control.get('/requests', { limit: 1 });
    }
  }
  over = true;
  await watching;
  return slowest;
}

function requestOf({ head, isBody }: Place, pattern: string, length: number): Buffer {
  const run = pattern.repeat(Math.floor(length / pattern.length));
  const body = Buffer.from(isBody ? `{"a":"${run}` : '').subarray(0, LONG);
  return Buffer.concat([
    Buffer.from(
      `${head(run)}Host: localhost\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`,
    ),
    body,
  ]);
}

/** What a client may send as it is; the rest would not be a request. */
function inUrl(run: string): string {
  return run.replace(/[^!-~]|#/gu, (char) => encodeURIComponent(char)).slice(0, SHORT);
}

function inHeader(run: string): string {
  return run.replace(/[^ -~]/g, 'x').slice(0, SHORT);
}

async function watch(server: Server, over: () => boolean, took: (ms: number) => void) {
  while (!over()) {
    const begun = performance.now();
    await server.control.get('/health');
    took(Math.round(performance.now() - begun));
    await sleep(5);
  }
}
