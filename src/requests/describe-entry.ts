import type { Tone } from '../kernel/columns.ts';
import type { EntryColumns } from './log-entry.ts';
import type { Message } from './message.ts';
import type { TraceStep } from './trace.ts';

type StepResult = Required<Pick<TraceStep, 'result' | 'detail'>>;

/** `401 invalid_signature`, `201`, or `closed` if there was no response. */
export function describeOutcome({ status, code }: Pick<EntryColumns, 'status' | 'code'>): string {
  if (status === null) return 'closed';
  return code === null ? String(status) : `${status} ${code}`;
}

/** The beginning of the paths of each API. */
const PREFIXES = { partner: '/api/partner/v1', control: '/_sandbox', page: '' };

/** Returns a target as lists show it: without the prefix of its API and without the token of a checkout. */
export function shortTarget({ api, target }: Pick<EntryColumns, 'api' | 'target'>): string {
  const prefix = PREFIXES[api];
  const short = target.startsWith(`${prefix}/`) ? target.slice(prefix.length) : target;
  return api === 'page' ? short.replace(/([?&]pt=)[^&]+/, '$1…') : short;
}

/** The tone of a response; a connection that was closed without one is an error. */
export function toneOfResponse({ status }: Pick<EntryColumns, 'status'>): Tone {
  if (status === null || status >= 500) return 'error';
  return status >= 400 ? 'warning' : 'success';
}

const ALTERATIONS = { truncated: 'only its beginning', redacted: 'without secrets' };

/** Returns the size of a body, and how it is in the log: `120 bytes, without secrets`. */
export function describeBody({ bytes, encoding, altered }: Message): string {
  return [
    `${bytes} bytes`,
    ...(encoding === 'base64' ? ['not text, shown as base64'] : []),
    ...(altered === null ? [] : [ALTERATIONS[altered]]),
  ].join(', ');
}

/** Adds to each step its detail as text. */
export function describeSteps<Shown extends StepResult>(steps: readonly Shown[]) {
  return steps.map((step) => ({ ...step, text: describeStep(step) }));
}

function describeStep({ result, detail }: StepResult): string {
  if (result === 'failed' && typeof detail.message === 'string') {
    const code = typeof detail.code === 'string' ? ` (${detail.code})` : '';
    return `${detail.message}${code}`;
  }
  return describeDetail(detail);
}

/** `needs` lists scopes of which any one is enough: "or" joins them. */
function describeDetail(detail: StepResult['detail']): string {
  return Object.entries(detail)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${name} ${textOf(value, name === 'needs' ? ' or ' : ' ')}`)
    .join(', ');
}

function textOf(value: unknown, separator: string): string {
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(separator);
  return typeof value === 'string' || typeof value === 'number'
    ? String(value)
    : JSON.stringify(value);
}
