import type { Fetch } from '../../../client/fetch.ts';
import type { Answer, Incoming } from './receiver.ts';

/** They belong to one connection, and are made anew for the next. */
const NOT_PASSED_ON = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
]);
const PATIENCE_MS = 30_000;

/** Passes a webhook on, byte for byte, and gives back the answer; 502 when there is none. */
export async function forward(
  fetch: Fetch,
  url: string,
  { body, headers }: Incoming,
): Promise<Answer & { problem?: string }> {
  const passedOn: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && !NOT_PASSED_ON.has(name)) passedOn[name] = value;
  }
  try {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const init = { method: 'POST', headers: passedOn, body, redirect: 'manual', signal } as const;
    const response = await fetch(url, init);
    return {
      status: response.status,
      body: Buffer.from(await response.arrayBuffer()),
      contentType: response.headers.get('content-type') ?? undefined,
    };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const { code, message } = cause as { code?: string; message?: string };
    return { status: 502, problem: `${url} gave no answer: ${code ?? message}` };
  }
}
