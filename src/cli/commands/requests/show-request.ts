import { SECOND } from '../../../kernel/time.ts';
import { describeOutcome, describeSteps } from '../../../requests/describe.ts';
import type { RequestDetail } from '../../../requests/logged-request.ts';
import { oneLine } from '../../layout.ts';
import type { Paper } from '../../output.ts';
import { paintOutcome } from './request-line.ts';

/** A request for people: the head, the checks, and what came and went. */
export function showRequestDetail(shown: RequestDetail, paper: Paper): string[] {
  const { paint, block } = paper;
  const marks = { passed: paint.good('✓'), failed: paint.bad('✗'), done: paint.good('→') };
  return [
    paint.strong(oneLine(`${shown.method} ${shown.target}`)),
    paintOutcome(paper)(describeOutcome(shown), shown),
    '',
    block([
      ['request', shown.request_id],
      ['at', momentOf(shown)],
      ['took', `${shown.duration_ms} ms`],
      ['key', shown.key_id],
      ['partner', shown.partner_id],
    ]),
    '',
    ...describeSteps(shown).map(({ result, check, text }) =>
      oneLineAfter(`${marks[result]} ${check.padEnd(12)} `, text),
    ),
    ...shown.warnings.map((warning) => `${paint.doubtful('!')} ${oneLine(warning)}`),
    ...part(paint.faint('canonical string:'), shown.canonical_string),
    ...part(paint.faint('signed instead:'), shown.signed_string),
    ...part(
      paint.faint('headers:'),
      shown.request.headers.map((pair) => pair.join(': ')).join('\n'),
    ),
    ...part(paint.faint(bodyTitle('body', shown.request)), shown.request.body),
    ...part(paint.faint(bodyTitle('response', shown.response)), shown.response.body),
  ];
}

/** Sandbox time, and real time where the two differ by more than the request took. */
function momentOf({ at, received_at, duration_ms }: RequestDetail): string {
  const apart = Math.abs(Date.parse(at) - Date.parse(received_at));
  return apart <= duration_ms + SECOND ? at : `${at} (really ${received_at})`;
}

function oneLineAfter(head: string, text: string): string {
  return text === '' ? head.trimEnd() : head + oneLine(text);
}

function part(title: string, text: string | null): string[] {
  if (text === null || text === '') return [];
  return ['', title, ...text.split('\n').map((line) => `  ${line === '' ? '' : oneLine(line)}`)];
}

function bodyTitle(name: string, { bytes, altered }: RequestDetail['request']): string {
  const how = { truncated: ', only its beginning', redacted: ', without secrets' };
  return `${name} (${bytes} bytes${altered === null ? '' : how[altered]}):`;
}
