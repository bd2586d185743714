import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BIN, type Server } from './server.ts';

/** How many of the newest requests are tried: some follow one whose response the kill has taken from the log. */
const TRIED = 100;
const EXPLAINED = /is not recorded/;

/** The newest requests in the log. */
export async function newestRequests({ control }: Server): Promise<string[]> {
  const { requests } = await control.get<{ requests: { request_id: string }[] }>('/requests', {
    api: 'all',
    limit: TRIED,
  });
  return requests.map(({ request_id }) => request_id);
}

/**
 * Checks that one of these requests exports, and that the newest one that does replays exactly: a recording is valid up
 * to the first input that a kill has taken from the log.
 * @returns what is wrong
 */
export async function checkRepros(server: Server, requests: readonly string[]): Promise<string[]> {
  let explained = 'the log has no requests';
  for (const request of requests) {
    const response = await fetch(`${server.url}/_sandbox/repro/export`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ request }),
    });
    if (!response.ok) {
      const text = await response.text();
      explained = text;
      if (EXPLAINED.test(text)) continue;
      return [`the repro of ${request} got ${response.status} ${text}`];
    }
    const summary = JSON.parse(response.headers.get('X-Sandlot-Repro-Summary') ?? '{}');
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!summary.verified) return [`the repro of ${request} is not verified: ${summary.problem}`];
    const code = await replay(bytes);
    return code === 0 ? [] : [`replaying ${request} exited with ${code}`];
  }
  return [`none of ${requests.length} requests has a repro: ${explained}`];
}

async function replay(bytes: Buffer): Promise<number | null> {
  const child = spawn(process.execPath, [BIN, 'repro', 'replay', '-'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(bytes);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
