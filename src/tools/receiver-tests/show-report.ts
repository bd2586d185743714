import type { Colors } from '../../cli/colors.ts';
import type { Formatter } from '../../cli/output.ts';
import { countOf } from '../../kernel/count.ts';
import { escapeControls } from '../../kernel/printable.ts';
import { RECEIVER_CHECKS } from './checks/index.ts';
import { decisiveDelivery } from './report.ts';
import type { CheckResult, ReceiverTestReport } from './result.ts';

const MAX_SHOWN = 200;
const INDENT = ' '.repeat(8);
const NOT_CHECKED =
  'Not checked: constant-time signature comparison. It cannot be observed from outside.';

/** Renders the results for a terminal, worst first. */
export function showReport(report: ReceiverTestReport, { colors }: Formatter): string[] {
  const { checks, totals, duration_ms: ms } = report;
  const withResult = (result: CheckResult['result']) =>
    checks.filter((check) => check.result === result);
  const hasProbe = report.probe === 'count' || report.probe === 'text';
  const wrong = (result: 'fail' | 'advice', label: string) =>
    withResult(result).flatMap((check) => showWrong(check, label, hasProbe, colors));
  return [
    ...wrong('fail', colors.error('fail')),
    ...wrong('advice', colors.warning('advice')),
    ...showUnseen(withResult('unseen'), checks.length, colors),
    `${totals.pass} pass, ${totals.fail} fail, ${totals.advice} advice, ${totals.unseen} unseen (${countOf(checks.length, 'check')}, ${(ms / 1000).toFixed(1)} s)`,
    NOT_CHECKED,
  ];
}

function showWrong(
  check: CheckResult,
  result: string,
  hasProbe: boolean,
  { bold, dim }: Colors,
): string[] {
  const { response } = check.expected;
  const gap = check.result === 'fail' ? '    ' : '  ';
  const lines: [name: string, value: string | null][] = [
    ['sent', RECEIVER_CHECKS.find(({ id }) => id === check.id)?.sent ?? null],
    ['expected', expectation(response, hasProbe ? check.expected.effect : null)],
    ['received', describeResponse(check)],
    ['meaning', check.meaning],
    ['fix', check.fix],
    ['reproduce', check.reproduce],
  ];
  return [
    `${result}${gap}${bold(check.id)}  ${check.reason}`,
    ...lines.flatMap(([name, value]) =>
      value === null || value === '' ? [] : [`${INDENT}${dim(name.padEnd(11))}${value}`],
    ),
  ];
}

function expectation(
  response: CheckResult['expected']['response'],
  effect: CheckResult['expected']['effect'],
): string {
  const responses = {
    '200': '200 within 5 s',
    rejected: 'any status except 200',
    any: 'any response except 5xx',
  };
  const effects = { one: ', one effect', none: ', no effect' };
  return responses[response] + (effect === null ? '' : effects[effect]);
}

function describeResponse(check: CheckResult): string | null {
  const delivery = decisiveDelivery(check);
  if (!delivery) return null;
  const { status, outcome, duration_ms: ms, response } = delivery;
  const outcomeText = status === null ? outcome.replaceAll('_', ' ') : String(status);
  const text = response ? `: ${shorten(response)}` : '';
  return `${outcomeText} after ${ms} ms${text}`;
}

/** Shortens text of the receiver to one line without terminal control characters. */
function shorten(text: string): string {
  const line = escapeControls(text.trim().slice(0, MAX_SHOWN)).replace(/(?<!\s)\s*\n\s*/g, ' ');
  return text.trim().length > MAX_SHOWN ? `${line}…` : line;
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
