import fc from 'fast-check';
import { ERROR_CODES } from '../../../src/kernel/errors.ts';
import type { Campaign } from '../campaign.ts';
import { type MalformedRequest, malformedRequests, routesOf } from '../malformed-requests.ts';
import { type Exchange, exchange } from '../raw.ts';
import { inWorkspace, memoryOf, type Server, SMALL_HEAP } from '../server.ts';

const AT_ONCE = 16;
const BATCH = 500;
const MEGABYTE = 1024 * 1024;
const UNSIGNED_BODIES = 600;
/** Allowed growth of memory by them. */
const MAX_GROWTH = 100 * MEGABYTE;

/** Sends malformed requests over raw sockets: no 5xx, no crash, and every error in the envelope. */
export const malformed: Campaign = {
  name: 'malformed',
  run: ({ seed, size }) =>
    inWorkspace(async (workspace) => {
      const args = ['--inventory', '100', '--no-rate-limits'];
      const server = await workspace.start({ args, env: SMALL_HEAP });
      const documents = ['partner', 'control'].map((api) =>
        server.control.get('/openapi.json', { api }),
      );
      const routes = (await Promise.all(documents)).flatMap(routesOf);
      const grown = await growthByUnsignedBodies(server);
      const findings = new Map<string, number>();
      const statuses = new Map<string, number>();
      const batches = size === 'full' ? 120 : 1;
      const requests = malformedRequests(server.url, routes);
      let pending: MalformedRequest[] = [];
      const send = async () => {
        for (let request = pending.pop(); request; request = pending.pop()) {
          const result = await sendMalformed(server.url, request.bytes);
          for (const { status } of result.responses) {
            const group = `${Math.floor(status / 100)}xx`;
            statuses.set(group, (statuses.get(group) ?? 0) + 1);
          }
          for (const fault of faultsOf(request, result)) {
            findings.set(fault, (findings.get(fault) ?? 0) + 1);
          }
        }
      };
      for (let batch = 0; batch < batches; batch += 1) {
        pending = fc.sample(requests, { seed: seed * 1_000 + batch, numRuns: BATCH });
        await Promise.all(Array.from({ length: AT_ONCE }, send));
      }
      return {
        figures: {
          requests: batches * BATCH,
          ...Object.fromEntries([...statuses].sort()),
          'memory of unsigned bodies, MB': Math.round(grown / MEGABYTE),
        },
        findings: [
          ...(grown > MAX_GROWTH ? [`unsigned bodies take ${grown} bytes of memory`] : []),
          ...Array.from(findings, ([fault, times]) => `${times} × ${fault}`),
          ...(await afterwards(server)),
        ],
      };
    }),
};

/** Sends large bodies without a credential. @returns the growth of memory in bytes */
async function growthByUnsignedBodies(server: Server): Promise<number> {
  const idle = memoryOf(server);
  const body = Buffer.alloc(MEGABYTE, '{"a":1}');
  let sent = 0;
  const send = async () => {
    while (sent < UNSIGNED_BODIES) {
      sent += 1;
      await (await fetch(`${server.url}/api/partner/v1/quotes`, { method: 'POST', body })).text();
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return memoryOf(server) - idle;
}

/** Node.js closes a connection that a client half-closes, before a response that takes a while. */
async function sendMalformed(url: string, bytes: Buffer): Promise<Exchange> {
  const result = await exchange(url, bytes, true);
  return result.responses.length > 0 ? result : exchange(url, bytes, false);
}

function faultsOf({ bytes, method, target }: MalformedRequest, result: Exchange): string[] {
  const what = JSON.stringify(bytes.toString('latin1').slice(0, 160));
  if (result.end === 'silent') return [`no end of ${what}`];
  if (result.responses.length === 0) return [`no response (${result.end}) to ${what}`];
  return result.responses.flatMap(({ status, isHtml, body, isComplete }) => {
    if (status >= 500 || status < 200) return [`${status} ${body.slice(0, 100)} to ${what}`];
    if (status < 400 || method === 'HEAD') return [];
    if (!isComplete) return [`a part of a response to ${what}`];
    if ((isHtml && !IN_API.test(pathOf(target))) || isEnvelope(body)) return [];
    return [`${status} without the envelope (${body.slice(0, 100)}) to ${what}`];
  });
}

const IN_API = /^\/(?:api\/partner|_sandbox)\/(?!dashboard|$)/;

/** Returns the path as an application reads it, without dot segments. */
function pathOf(target: string): string {
  return URL.parse(target, 'http://localhost')?.pathname ?? target;
}

function isEnvelope(text: string): boolean {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    return ERROR_CODES.some((code) => code === error.code) && error.message !== '';
  } catch {
    return false;
  }
}

async function afterwards(server: Server): Promise<string[]> {
  if (server.hasEnded()) return [`the server has ended: ${server.stderr()}`];
  // A warning names a query parameter that the server ignores.
  const written = server.stderr().replace(/^warning: .*\n/gm, '');
  const findings = written === '' ? [] : [`the server wrote: ${written}`];
  await server.control.get('/health');
  if ((await server.stop()) !== 0) findings.push('the server did not end cleanly');
  return findings;
}
