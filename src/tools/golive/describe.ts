import type { Report, ReportEvidence } from './report.ts';

/** Tells where to run the commands of a report whose sandbox is not known. */
export const WHERE_TO_RUN =
  'Run these commands from your tests, or with a sandbox that keeps running: sandlot start';

/** Returns `req_1  POST /orders → 409 conflict`. */
export function describeEvidence({ id, text }: ReportEvidence): string {
  return id === null ? text : `${id}  ${text}`;
}

/** Returns `Go-live check failed: 47 of 50 required items met, 1 waived, 2 open, 6 of 11 others met`. */
export function describeGate({ gate, items }: Report): string {
  const required = items.filter((item) => item.required);
  const met = required.filter(({ status }) => status === 'met').length;
  const waived = required.filter((item) => item.waived).length;
  const open = required.length - met - waived;
  const optional = items.filter((item) => !item.required && item.status !== 'not_applicable');
  const metOthers = optional.filter(({ status }) => status === 'met').length;
  const parts = [
    `${met} of ${required.length} required items met`,
    ...(waived > 0 ? [`${waived} waived`] : []),
    ...(open > 0 ? [`${open} open`] : []),
    ...(optional.length > 0 ? [`${metOthers} of ${optional.length} others met`] : []),
    ...gate.failed.flatMap((id) =>
      id.startsWith('feature:') ? [`feature ${id.slice(8)} against the gate`] : [],
    ),
  ];
  return `Go-live check ${gate.passed ? 'passed' : 'failed'}: ${parts.join(', ')}`;
}

/** Returns `a, b and 3 more`. */
export function describeList(names: readonly string[], max = 10): string {
  const more = names.length - max;
  return names.slice(0, max).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
