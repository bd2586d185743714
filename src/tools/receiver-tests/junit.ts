import { escapeCharacter, escapeControls } from '../../kernel/printable.ts';
import { groupOf } from './check.ts';
import { type CheckResult, decidingAttempt, type ReceiverTestReport } from './result.ts';

/** Renders a report as JUnit XML, a class per group. Advice and unseen checks are skipped. */
export function toJunit(report: Pick<ReceiverTestReport, 'checks' | 'started_at'>): string {
  const { checks } = report;
  const totals = {
    name: 'sandlot receiver-tests',
    tests: checks.length,
    failures: checks.filter(({ result }) => result === 'fail').length,
    skipped: checks.filter(({ result }) => result === 'advice' || result === 'unseen').length,
    time: secondsOf(checks),
    timestamp: report.started_at,
  };
  const cases = checks.map((check) => `  ${testCase(check)}\n`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuite', totals, `\n${cases}`)}\n`;
}

function testCase(check: CheckResult): string {
  const { id: name, result, reason, meaning, fix } = check;
  const classname = `receiver-tests.${groupOf(name)}`;
  const details = [meaning, fix, decidingAttempt(check)?.response].filter(Boolean).join('\n');
  const message = result === 'advice' ? `advice: ${reason}` : reason;
  const outcome =
    result === 'fail'
      ? element('failure', { message }, escapeXml(details))
      : result !== 'pass' && element('skipped', { message });
  return element('testcase', { classname, name, time: secondsOf([check]) }, outcome || '');
}

/** Returns how long the deliveries of checks took. */
function secondsOf(checks: readonly CheckResult[]): string {
  const ms = checks.flatMap(({ deliveries }) => deliveries.map(({ duration_ms }) => duration_ms));
  return (ms.reduce((sum, duration) => sum + duration, 0) / 1_000).toFixed(3);
}

function element(name: string, attributes: object, content = ''): string {
  const texts = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(value).replace(/\n/g, '&#10;')}"`,
  );
  return `<${name}${texts.join('')}${content === '' ? '/>' : `>${content}</${name}>`}`;
}

/** Escapes text for XML 1.0, which cannot contain most control characters, and whose parsers change carriage returns. */
function escapeXml(value: unknown): string {
  return escapeControls(String(value).replaceAll('\r\n', '\n'))
    .replace(/[^\t\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, escapeCharacter)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('>', '&gt;');
}
