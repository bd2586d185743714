import { display, type Tone } from '../kernel/columns.ts';
import { describeOutcome } from './describe.ts';
import type { LoggedRequest } from './logged-request.ts';

/** How the CLI and the dashboard show a logged request. */
export const requestDisplay = display<LoggedRequest>({
  request_id: ['Request', (item) => item.request_id, 'id'],
  at: ['At', (item) => item.at, 'time'],
  response: ['Response', describeOutcome, 'text', toneOf],
  duration_ms: ['ms', (item) => item.duration_ms.toFixed(1), 'count'],
  method: ['Method', (item) => item.method, 'status'],
  target: ['Target', (item) => item.target],
});

/** The tone of a status; null if the connection was closed without a response. */
export function toneOf({ status }: Pick<LoggedRequest, 'status'>): Tone {
  if (status === null || status >= 500) return 'error';
  return status >= 400 ? 'warning' : 'success';
}
