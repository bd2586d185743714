import { escapeControls, escapeOne } from '../../kernel/printable.ts';
import { groupOf } from './check.ts';
import type { CheckResult, ReceiverTestReport } from './result.ts';

/** Renders a report as JUnit XML, a suite per group. Advice and unseen checks are skipped. */
export function toJunit({
  checks,
  started_at: timestamp,
}: Pick<ReceiverTestReport, 'checks' | 'started_at'>): string {
  const suites = [...Map.groupBy(checks, ({ id }) => groupOf(id))].map(([group, members]) => {
    const name = `receiver-tests.${group}`;
    const skipped = members.filter(isSkipped).length;
    const cases = members.map((check) => `    ${testCase(name, check)}\n`).join('');
    const suite = { name, ...totalsOf(members), skipped, timestamp };
    return `  ${element('testsuite', suite, `\n${cases}  `)}\n`;
  });
  const whole = { name: 'sandlot receiver-tests', ...totalsOf(checks) };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', whole, `\n${suites.join('')}`)}\n`;
}

function testCase(classname: string, check: CheckResult): string {
  const { id: name, result, reason, meaning, fix, deliveries } = check;
  const details = [meaning, fix, deliveries.at(-1)?.response].filter(Boolean).join('\n');
  const message = result === 'advice' ? `advice: ${reason}` : reason;
  const outcome =
    result === 'fail'
      ? element('failure', { message }, escapeXml(details))
      : isSkipped(check) && element('skipped', { message });
  return element('testcase', { classname, name, time: totalsOf([check]).time }, outcome || '');
}

function isSkipped({ result }: CheckResult): boolean {
  return result === 'advice' || result === 'unseen';
}

function totalsOf(checks: readonly CheckResult[]) {
  const ms = checks.flatMap(({ deliveries }) => deliveries.map(({ duration_ms }) => duration_ms));
  return {
    tests: checks.length,
    failures: checks.filter(({ result }) => result === 'fail').length,
    time: (ms.reduce((sum, each) => sum + each, 0) / 1_000).toFixed(3),
  };
}

function element(name: string, attributes: object, content = ''): string {
  const texts = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escapeXml(value).replace(/\n/g, '&#10;')}"`,
  );
  return `<${name}${texts.join('')}${content === '' ? '/>' : `>${content}</${name}>`}`;
}

/**
 * Escapes text for XML. XML 1.0 cannot contain most control characters, not even escaped, and a parser changes carriage
 * returns.
 */
function escapeXml(value: unknown): string {
  return escapeControls(String(value).replaceAll('\r\n', '\n'))
    .replace(/[^\t\n\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, escapeOne)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('>', '&gt;');
}
