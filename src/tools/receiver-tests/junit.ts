import { escapeControls, escapeOne } from '../../kernel/printable.ts';

/** A test case of a JUnit report. It passed if it has neither a failure nor a skip reason. */
interface JunitCase {
  group: string;
  name: string;
  ms?: number;
  failure?: { message: string; details: string } | false;
  skipped?: string | false;
}

/** Renders test cases as JUnit XML, a suite per group. @param root begins the names @param timestamp ISO 8601 */
export function junitXml(root: string, cases: readonly JunitCase[], timestamp?: string): string {
  const suites = [...Map.groupBy(cases, ({ group }) => group)].map(([group, tests]) => {
    const name = `${root}.${group}`;
    const skipped = tests.filter((test) => test.skipped).length;
    const lines = tests.map((test) => `    ${testCase(name, test)}\n`).join('');
    const suite = { name, ...totalsOf(tests), skipped, timestamp };
    return `  ${element('testsuite', suite, `\n${lines}  `)}\n`;
  });
  const whole = { name: `sandlot ${root}`, ...totalsOf(cases) };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', whole, `\n${suites.join('')}`)}\n`;
}

function testCase(classname: string, test: JunitCase): string {
  const { name, failure, skipped } = test;
  const { time } = totalsOf([test]);
  const result = failure
    ? element('failure', { message: failure.message }, escapeXml(failure.details))
    : skipped && element('skipped', { message: skipped });
  return element('testcase', { classname, name, time }, result || '');
}

function totalsOf(cases: readonly JunitCase[]) {
  const seconds = cases.reduce((sum, { ms = Number.NaN }) => sum + ms / 1_000, 0);
  return {
    tests: cases.length,
    failures: cases.filter(({ failure }) => failure).length,
    time: Number.isNaN(seconds) ? undefined : seconds.toFixed(3),
  };
}

function element(name: string, attributes: object, content = ''): string {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined);
  const texts = entries.map(
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
