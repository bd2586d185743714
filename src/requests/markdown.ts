import { greatest } from '../kernel/greatest.ts';
import { printable } from '../kernel/printable.ts';
import { describeOutcome, describeSteps } from './describe.ts';
import type { RequestDetail } from './logged-request.ts';

const RESULTS = { passed: 'passed', failed: '**failed**', done: 'done' };

/** Formats a request as Markdown for a ticket. What a client sent is formatted as code, so that it cannot be markup. */
export function markdownOf(request: RequestDetail): string {
  const facts = [
    `- response: ${code(describeOutcome(request))} after ${request.duration_ms} ms`,
    `- request: ${code(request.request_id)} at ${request.at} sandbox time, ${request.received_at} real time`,
    `- key: ${code(request.key_id ?? 'none')}, partner: ${code(request.partner ?? request.partner_id ?? 'unknown')}`,
  ];
  const steps = describeSteps(request).map(
    ({ check, result, text }) =>
      `| ${check} | ${RESULTS[result]} | ${text === '' ? '' : code(text)} |`,
  );
  return [
    `### ${code(`${request.method} ${request.target}`)}`,
    '',
    ...facts,
    '',
    '| check | result | |',
    '|---|---|---|',
    ...steps,
    ...listed('Warnings', request.warnings),
    ...fenced('Canonical string', request.canonical_string),
    ...fenced('Signed instead', request.signed_string),
    ...fenced('Headers', request.request.headers.map((pair) => pair.join(': ')).join('\n')),
    ...fenced('Body', request.request.body),
    ...fenced('Response', request.response.body),
  ].join('\n');
}

/** A code span that holds any text; a bar would end the cell of a table. */
function code(text: string): string {
  const line = printable(text).replace(/\s+/g, ' ').replaceAll('|', '\\|');
  const ticks = '`'.repeat(longestRun(line) + 1);
  return ticks.length === 1 ? `\`${line}\`` : `${ticks} ${line} ${ticks}`;
}

function listed(title: string, lines: readonly string[]): string[] {
  if (lines.length === 0) return [];
  return ['', `**${title}**`, '', ...lines.map((line) => `- ${code(line)}`)];
}

function fenced(title: string, text: string | null): string[] {
  if (text === null || text === '') return [];
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return ['', `**${title}**`, '', fence, printable(text), fence];
}

function longestRun(text: string): number {
  return greatest([...text.matchAll(/`+/g)].map(([run]) => run.length));
}
