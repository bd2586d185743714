import { printable } from '../kernel/printable.ts';
import { outcomeOf } from './outcome.ts';
import { stepsOf } from './steps.ts';
import type { RequestDetail } from './views.ts';

const MARKS = { passed: 'passed', failed: '**failed**', done: 'done' };

/** A request as Markdown for a ticket. Whatever a client sent stands in code, where it is no markup. */
export function markdownOf(shown: RequestDetail): string {
  const facts = [
    `- answered: ${code(outcomeOf(shown))} after ${shown.duration_ms} ms`,
    `- request: ${code(shown.request_id)} at ${shown.at}, received ${shown.received_at}`,
    `- key: ${code(shown.key_id ?? 'none')}, partner: ${code(shown.partner_id ?? 'unknown')}`,
  ];
  const steps = stepsOf(shown).map(
    ({ check, verdict, says }) =>
      `| ${check} | ${MARKS[verdict]} | ${says === '' ? '' : code(says)} |`,
  );
  return [
    `### ${code(`${shown.method} ${shown.target}`)}`,
    '',
    ...facts,
    '',
    '| check | verdict | |',
    '|---|---|---|',
    ...steps,
    ...listed('Warnings', shown.warnings),
    ...fenced('Canonical string', shown.canonical_string),
    ...fenced('Signed instead', shown.signed_string),
    ...fenced('Headers', shown.request.headers.map((pair) => pair.join(': ')).join('\n')),
    ...fenced('Body', shown.request.body),
    ...fenced('Answer', shown.answer.body),
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
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
