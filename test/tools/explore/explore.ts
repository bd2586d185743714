import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll } from 'vitest';
import { runCommandLine } from '../../../src/cli/run.ts';
import { sendSigned, signPartnerRequest } from '../../../src/client/partner-client.ts';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { TOOLS } from '../../../src/tools/index.ts';

export interface Report {
  findings: {
    id: string;
    property: string;
    sentence: string;
    faults: { kind: string; point: string; by_hand: string[] }[];
    rate: string;
    story: string[];
    run_again: string;
  }[];
  saved: { id: string; property: string; status: string; sentence: string }[];
  points: string[];
  plan: string[];
  planned: number;
  run: number;
  kinds: Record<string, { planned: number; run: number; acted: number }>;
  not_run: { count: number; why: string } | null;
  not_measured: string[];
  notes: string[];
  error?: { code: string; message: string; output: string[] };
}

interface Place {
  cwd: string;
  env?: Record<string, string>;
  /** Interrupts the search. */
  signal?: AbortSignal;
  /** Called with all that was printed so far. */
  printed?: (text: string) => unknown;
}

export interface Explored {
  code: number;
  out: string;
  err: string;
  /** The output if it is JSON. */
  readonly report: Report;
}

/** Runs `sandlot explore` in this process. */
export async function explore(args: readonly string[], place: Place): Promise<Explored> {
  const { cwd, env = {}, signal = new AbortController().signal, printed } = place;
  const output = { out: '', err: '' };
  const stream = (name: keyof typeof output) => ({
    write(text: string | Uint8Array) {
      output[name] += text;
      printed?.(output.out + output.err);
    },
  });
  const code = await runCommandLine(
    ['explore', '--inventory', '20', '--frozen-at', '2026-01-05T09:00:00Z', ...args],
    {
      stdout: stream('out'),
      stderr: stream('err'),
      async *stdinChunks() {},
      env: { ...process.env, ...env },
      cwd,
      fetch: (url, init) => fetch(url, init as RequestInit),
      runtime: systemRuntime,
      interruption: () => signal,
    },
    TOOLS,
  );
  return {
    code,
    ...output,
    get report() {
      return JSON.parse(output.out) as Report;
    },
  };
}

/** The words of a command for a shell. */
export function lineOf(...words: string[]): string {
  return words.map((word) => `'${word}'`).join(' ');
}

/** Sends a request of a partner. Without a response, the status is 0. */
export type Send = (
  method: 'GET' | 'POST',
  path: string,
  options?: { data?: object; key?: string },
) => Promise<{ status: number; body: string; retryAfter: number; type: string | null }>;

const servers: http.Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** Starts a server, which the end of the tests closes. @returns its port */
export async function serve(respond: http.RequestListener): Promise<number> {
  const server = http.createServer(respond);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/**
 * Returns the arguments of a workload in this process, because the start of a program takes longer than a run.
 * @param work returns whether it passes
 */
export async function openWorkload(
  work: (send: Send, url: string) => Promise<boolean>,
  timeoutMs = 5_000,
): Promise<string[]> {
  const port = await serve(async (request, response) => {
    const [url = '', key_id = '', secret = ''] = (await text(request)).split(' ');
    const send: Send = async (method, path, { data: body, key } = {}) => {
      const headers = { 'User-Agent': 'shop', ...(key && { 'Idempotency-Key': key }) };
      const target = `/api/partner/v1${path}`;
      const wanted = { method, target, body, headers };
      const signed = signPartnerRequest(url, { key_id, secret }, wanted, Date.now());
      const signal = AbortSignal.timeout(timeoutMs);
      try {
        const inTime = (to: string, init?: object) => fetch(to, { ...init, signal });
        const got = await sendSigned(inTime, signed);
        const { status, headers: fields } = got;
        const retryAfter = Number(fields.get('Retry-After') ?? 0);
        return { status, body: await got.text(), retryAfter, type: fields.get('Content-Type') };
      } catch {
        return { status: 0, body: '', retryAfter: 0, type: null };
      }
    };
    response.writeHead((await work(send, url)) ? 200 : 500).end();
  });
  const key = '$SANDLOT_URL $SANDLOT_KEY_ID $SANDLOT_SECRET';
  return ['--', 'sh', '-c', `curl -fsS -d "${key}" http://127.0.0.1:${port}/`];
}

/** How `sell` behaves; `wrong` begins again with another Idempotency-Key, `closed` makes no order. */
export type Behavior = 'wrong' | 'fixed' | 'given up' | 'held' | 'closed';

/** Sells a domain. */
export async function sell(send: Send, behavior: Behavior = 'wrong'): Promise<boolean> {
  const getQuote = async () => {
    const data = { domain: behavior === 'held' ? 'held-order.test' : 'auto-complete.test' };
    const { status, body } = await send('POST', '/quotes', { data });
    return status === 201 ? (JSON.parse(body) as { quote_id: string }).quote_id : undefined;
  };
  const order = (quote_id: string | undefined, key: string) =>
    send('POST', '/orders', { data: { quote_id, external_payment_ref: 'pay-1' }, key });
  const quote = await getQuote();
  if (quote === undefined || behavior === 'closed') return true;
  const { status } = await order(quote, 'first');
  if (status === 201 && behavior === 'given up') await send('GET', '/orders');
  if (status !== 201 && behavior === 'fixed') await order(quote, 'first');
  if (status !== 201 && behavior === 'wrong') await order(await getQuote(), 'second');
  return true;
}
