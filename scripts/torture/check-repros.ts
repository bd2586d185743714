import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BIN, type Server } from './server.ts';

/** How many of the newest requests are tried: what a kill has taken from the log may leave some out. */
const TRIED = 20;
/** A kill may come before the beginning of a recording is stored. */
const EXPLAINED = /is not stored|is not recorded|nothing is recorded/;

/** How many repros were replayed. */
export interface ReproCount {
  replayed: number;
}

/** The newest requests in the log. */
export async function newestRequests({ control }: Server): Promise<string[]> {
  const { requests } = await control.get<{ requests: { request_id: string }[] }>('/requests', {
    limit: TRIED,
  });
  return requests.map(({ request_id }) => request_id);
}

/**
 * Checks that the newest of these requests that the log still has exports, and replays exactly.
 * @returns what is wrong
 */
export async function checkRepros(
  server: Server,
  requests: readonly string[],
  count: ReproCount,
): Promise<string[]> {
  for (const request of requests) {
    const response = await fetch(`${server.url}/_sandbox/repro/export`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ request }),
    });
    if (!response.ok) {
      const text = await response.text();
      if (EXPLAINED.test(text)) continue;
      return [`the repro of ${request} got ${response.status} ${text}`];
    }
    const summary = JSON.parse(response.headers.get('X-Sandlot-Repro-Summary') ?? '{}');
    const bytes = Buffer.from(await response.arrayBuffer());
    if (!summary.verified) return [`the repro of ${request} is not verified: ${summary.problem}`];
    const code = await replay(bytes);
    count.replayed += 1;
    return code === 0 ? [] : [`replaying ${request} exited with ${code}`];
  }
  return [];
}

async function replay(bytes: Buffer): Promise<number | null> {
  const child = spawn(process.execPath, [BIN, 'repro', 'replay', '-'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(bytes);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
