import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { BIN, type Server } from './server.ts';

/** After a kill, the log may lack the last requests, so a repro begins with the first after the restart. */
const EXPLAINED = /is from before the world began/;

/** The newest request in the log. */
export async function newestRequest({ control }: Server): Promise<string[]> {
  const { requests } = await control.get<{ requests: { request_id: string }[] }>('/requests', {
    api: 'all',
    limit: 1,
  });
  return requests.map(({ request_id }) => request_id);
}

/**
 * Checks that the newest of these requests exports and replays exactly, or that the message says that it ran before a kill.
 * @returns what is wrong
 */
export async function checkRepro(
  server: Server,
  [request]: readonly string[],
  isBeforeKill = false,
): Promise<string[]> {
  if (request === undefined) return ['the log has no requests'];
  const response = await fetch(`${server.url}/_sandbox/repro/export`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ request }),
  });
  if (!response.ok) {
    const text = await response.text();
    const isExplained = isBeforeKill && EXPLAINED.test(text);
    return isExplained ? [] : [`the repro of ${request} got ${response.status} ${text}`];
  }
  if (isBeforeKill) return [`the repro of ${request} from before the kill was written`];
  const summary = JSON.parse(response.headers.get('X-Sandlot-Repro-Summary') ?? '{}');
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!summary.verified) return [`the repro of ${request} is not verified: ${summary.problem}`];
  const code = await replay(bytes);
  return code === 0 ? [] : [`replaying ${request} exited with ${code}`];
}

async function replay(bytes: Buffer): Promise<number | null> {
  const child = spawn(process.execPath, [BIN, 'repro', 'replay', '-'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  child.stdin.end(bytes);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
