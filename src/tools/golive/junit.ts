import { junitXml } from '../../kernel/junit.ts';
import { describeEvidence } from './describe.ts';
import { nextLines } from './next.ts';
import { isOpen, type Report } from './report.ts';

/** Renders the report as JUnit XML: a suite per group, a case per item. */
export function renderJunit({ items, gate }: Report): string {
  const cases = items.map((item) => {
    const { id, title, status, group, contradictions, next } = item;
    const details = [...contradictions.map(describeEvidence), ...nextLines(next)].join('\n');
    const reason = gate.waived.find((waiver) => waiver.id === id)?.reason ?? status;
    return {
      group,
      name: `${id} ${title}`,
      failure: isOpen(item) && { message: `${id} is ${status}`, details },
      skipped: !isOpen(item) && status !== 'met' && reason,
    };
  });
  return junitXml('golive', cases);
}
