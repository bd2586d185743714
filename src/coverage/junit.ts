import { describeEvidence } from './describe.ts';
import { nextLines } from './next.ts';
import { isOpen, type Report, type ReportItem } from './report.ts';

/** Renders the report as JUnit XML: a suite per group, a case per item. */
export function renderJunit({ items, gate }: Report): string {
  const groups = [...new Set(items.map(({ group }) => group))];
  const suites = groups.map((group) => {
    const cases = items.filter((item) => item.group === group);
    const failures = cases.filter(isOpen).length;
    const skipped = cases.filter((item) => !isOpen(item) && item.status !== 'met').length;
    const head = `  <testsuite name="${group}" tests="${cases.length}" failures="${failures}" skipped="${skipped}">`;
    return [head, ...cases.map((item) => testCase(item, gate.waived)), '  </testsuite>'].join('\n');
  });
  const failures = items.filter(isOpen).length;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="sandlot golive" tests="${items.length}" failures="${failures}">`,
    ...suites,
    '</testsuites>\n',
  ].join('\n');
}

function testCase(item: ReportItem, waived: Report['gate']['waived']): string {
  const { id, title, status, group } = item;
  const open = `    <testcase classname="golive.${group}" name="${escapeXml(`${id} ${title}`)}"`;
  if (isOpen(item)) {
    const lines = [...item.contradictions.map(describeEvidence), ...nextLines(item.next)];
    const body = escapeXml(lines.join('\n'));
    return `${open}><failure message="${escapeXml(`${id} is ${status}`)}">${body}</failure></testcase>`;
  }
  if (status === 'met') return `${open}/>`;
  const reason = waived.find((waiver) => waiver.id === id)?.reason ?? status;
  return `${open}><skipped message="${escapeXml(reason)}"/></testcase>`;
}

/** Escapes text for XML 1.0, which has no place for most control characters. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD')
    .replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
