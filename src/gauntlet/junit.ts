import { groupOf } from './check.ts';
import type { CheckResult, GauntletReport } from './result.ts';

/** Writes a report as JUnit XML, one suite for each group. */
export function toJunit({ checks, started_at: startedAt }: GauntletReport): string {
  const groups = Map.groupBy(checks, ({ id }) => groupOf(id));
  const suites = [...groups].map(([group, results]) => {
    const count = (...found: CheckResult['result'][]) =>
      results.filter(({ result }) => found.includes(result)).length;
    return [
      `  <testsuite name="gauntlet.${attribute(group)}" tests="${results.length}" failures="${count('fail')}" skipped="${count('advice', 'unseen')}" timestamp="${attribute(startedAt)}" time="${secondsOf(results)}">`,
      ...results.map(testCase),
      '  </testsuite>',
    ].join('\n');
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('\n')}\n</testsuites>\n`;
}

function testCase(check: CheckResult): string {
  const { id, result, reason, meaning, fix } = check;
  const open = `    <testcase classname="gauntlet.${attribute(groupOf(id))}" name="${attribute(id)}" time="${secondsOf([check])}"`;
  if (result === 'pass') return `${open}/>`;
  const message = attribute(result === 'advice' ? `advice: ${reason}` : reason);
  if (result !== 'fail') return `${open}><skipped message="${message}"/></testcase>`;
  const details = [meaning, fix, check.deliveries.at(-1)?.response].filter(Boolean).join('\n');
  return `${open}><failure message="${message}">${escapeXml(details)}</failure></testcase>`;
}

function secondsOf(results: readonly CheckResult[]): string {
  const ms = results.flatMap(({ deliveries }) => deliveries).map((each) => each.duration_ms);
  return (ms.reduce((sum, each) => sum + each, 0) / 1000).toFixed(3);
}

function attribute(text: string): string {
  return escapeXml(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;');
}

// Characters that XML 1.0 cannot contain, not even escaped, and lone surrogates.
const FORBIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function escapeXml(text: string): string {
  return text
    .replace(FORBIDDEN, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
