import type { RequestDetail } from './views.ts';

type Step = RequestDetail['trace'][number];

/** The lines of a decision trace, with what each found in words. */
export function stepsOf({ trace }: RequestDetail): (Step & { says: string })[] {
  return trace.map((step) => ({ ...step, says: inWords(step) }));
}

function inWords({ verdict, detail }: Step): string {
  if (verdict === 'failed' && typeof detail.message === 'string') {
    return `${detail.message}${typeof detail.code === 'string' ? ` (${detail.code})` : ''}`;
  }
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${textOf(value)}`)
    .join(', ');
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(' ');
  return typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : JSON.stringify(value);
}
