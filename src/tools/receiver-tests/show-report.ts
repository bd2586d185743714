import type { Colors } from '../../cli/colors.ts';
import type { Formatter } from '../../cli/output.ts';
import { countOf } from '../../kernel/count.ts';
import { escapeControls, truncate } from '../../kernel/printable.ts';
import { RECEIVER_CHECKS } from './checks/index.ts';
import { type CheckResult, decidingAttempt, type ReceiverTestReport } from './result.ts';

const MAX_CHARACTERS = 200;
const INDENT = ' '.repeat(8);
const NOT_CHECKED =
  'Not checked: constant-time signature comparison. It cannot be observed from outside.';

/** Renders the results for a terminal, worst first. */
export function showReport(report: ReceiverTestReport, { colors }: Formatter): string[] {
  const { checks, totals, duration_ms: ms } = report;
  const withResult = (result: CheckResult['result']) =>
    checks.filter((check) => check.result === result);
  const unmet = [...withResult('fail'), ...withResult('advice')];
  return [
    ...unmet.flatMap((check) => showUnmet(check, colors)),
    ...showUnseen(withResult('unseen'), checks.length, colors),
    `${totals.pass} pass, ${totals.fail} fail, ${totals.advice} advice, ${totals.unseen} unseen (${countOf(checks.length, 'check')}, ${(ms / 1000).toFixed(1)} s)`,
    NOT_CHECKED,
  ];
}

function showUnmet(check: CheckResult, { bold, dim, error, warning }: Colors): string[] {
  const label = check.result === 'fail' ? error('fail    ') : warning('advice  ');
  const details = [
    ['sent', RECEIVER_CHECKS.find(({ id }) => id === check.id)?.sent],
    ['received', describeResponse(check)],
    ['meaning', check.meaning],
    ['fix', check.fix],
    ['reproduce', check.reproduce],
  ] as const;
  return [
    `${label}${bold(check.id)}  ${check.reason}`,
    ...details.flatMap(([name, value]) =>
      value ? [`${INDENT}${dim(name.padEnd(11))}${value}`] : [],
    ),
  ];
}

function describeResponse(check: CheckResult): string | undefined {
  const attempt = decidingAttempt(check);
  if (!attempt) return undefined;
  const { status, outcome, duration_ms: ms, response } = attempt;
  const text = response ? `: ${shorten(response)}` : '';
  return `${status ?? outcome.replaceAll('_', ' ')} after ${ms} ms${text}`;
}

/** Shortens text of the receiver to one line without terminal control characters. */
function shorten(text: string): string {
  return escapeControls(truncate(text.trim(), MAX_CHARACTERS)).replace(/(?<!\s)\s*\n\s*/g, ' ');
}

/** Shows a block for each reason. @param total number of checks of the run */
function showUnseen(checks: readonly CheckResult[], total: number, { dim }: Colors): string[] {
  return [...Map.groupBy(checks, ({ reason }) => reason)].flatMap(([reason, group]) => {
    const names =
      group.length === total
        ? `all ${countOf(total, 'check')}`
        : group.map(({ id }) => id).join(', ');
    return [`${dim('unseen')}  ${names}`, `${INDENT}${reason}`];
  });
}
