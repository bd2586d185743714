import { countOf } from '../../kernel/count.ts';
import {
  type ComparedFlows,
  type FlowDifference,
  type FlowKind,
  headerOf,
} from './compare-flows.ts';
import { shortened } from './describe.ts';
import type { Call, Sent } from './flow.ts';

const SHOWN_BEFORE = 3;
const KEY = 'idempotency-key';

/** What there is one of, and where. */
const NOUNS: Readonly<Record<FlowKind, readonly [noun: string, where: string]>> = {
  call_only_a: ['call', ' only in A'],
  call_only_b: ['call', ' only in B'],
  call_order: ['call', ' in another order'],
  status: ['status', ''],
  code: ['error code', ''],
  missing: ['field', ' only in A'],
  added: ['field', ' only in B'],
  type: ['field', ' of another type'],
  value: ['field', ' with another value'],
  order: ['field', ' with another order'],
  header: ['header', ''],
  event_only_a: ['event', ' only in A'],
  event_only_b: ['event', ' only in B'],
  delivery_count: ['delivery count', ''],
  delivery_order: ['delivery', ' in another order'],
  delivery_outcome: ['delivery outcome', ''],
};

/** `call 14 of order brew.io. In A, … ; in B, …` */
export function explain(difference: FlowDifference, flows: ComparedFlows): string {
  const { a, b } = difference;
  const side = a ? 'A' : 'B';
  const item = a ?? b;
  const items = item ? groupOf(item, side, flows) : [];
  const what = item?.kind === 'sent' ? 'event' : 'call';
  const n = item ? items.indexOf(item) + 1 : 0;
  return `${what} ${n}${subjectOf(difference, items)}. ${sentenceOf(difference, flows)}`;
}

function subjectOf({ group, a, b }: FlowDifference, items: readonly (Call | Sent)[]): string {
  const subject = (a ?? b)?.kind === 'sent' ? group : group.split(' ').slice(2).join(' ');
  if (subject === '') return ' without a domain';
  const isOrder = items.some((each) => each.kind === 'sent' || /\/orders\b/.test(each.operation));
  return ` of ${isOrder ? 'order ' : ''}${shortened(subject)}`;
}

function sentenceOf(difference: FlowDifference, flows: ComparedFlows): string {
  const { kind, path, a, b, values } = difference;
  const [was, is] = values.map((value) => shortened(textOf(value), 80));
  const item = a ?? b;
  const operation = shortened(item?.operation ?? '');
  const call = item?.kind === 'call' ? `${operation} ${shortened(item.result)}`.trim() : operation;
  switch (kind) {
    case 'call_only_a':
    case 'event_only_a':
      return `Only A has ${call}.`;
    case 'call_only_b':
    case 'event_only_b':
      return `Only B has ${call}.`;
    case 'call_order':
    case 'delivery_order':
      return `In B, ${call} comes at another place.`;
    case 'status':
      return `In A, ${operation} gets ${was}; in B, ${is}.`;
    case 'code':
      return `In A, the error code of ${operation} is ${was}; in B, ${is}.`;
    case 'delivery_count':
      return `In A, ${operation} has ${was} delivery attempts; in B, ${is}.`;
    case 'delivery_outcome':
      return `In A, ${path} to deliver ${operation} ends with ${was}; in B, with ${is}.`;
    case 'missing':
      return `Only in A, ${call} has ${placeOf(path)}: ${was}.`;
    case 'added':
      return `Only in B, ${call} has ${placeOf(path)}: ${is}.`;
    case 'order':
      return `In B, ${placeOf(path)} of ${call} has another order.`;
    default:
      return path === 'Idempotency-Key'
        ? explainKey(difference, flows)
        : `In A, ${kind === 'header' ? 'header ' : ''}${placeOf(path)} of ${call} is ${was}; in B, ${is}.`;
  }
}

function placeOf(path: string): string {
  return shortened(path.replace(/^request\./, 'request field '));
}

/** Whether a call repeats the key of an earlier one. */
function explainKey({ a, b }: FlowDifference, flows: ComparedFlows): string {
  const [retriedA, retriedB] = [retriedBy(a, 'A', flows), retriedBy(b, 'B', flows)];
  const retried = retriedA ?? retriedB;
  if (retried && !(retriedA && retriedB)) {
    const [one, other] = retriedA ? ['A', 'B'] : ['B', 'A'];
    return `In ${one}, ${nameOf(retried)} is retried with the same Idempotency-Key; in ${other}, with a new one.`;
  }
  const operation = shortened((a ?? b)?.operation ?? '');
  const has = (item: Call | Sent | undefined) => (keyOf(item) === undefined ? 'none' : 'one');
  return has(a) === has(b)
    ? `In A, ${operation} has the Idempotency-Key of another call than in B.`
    : `In A, ${operation} has ${has(a)} Idempotency-Key; in B, ${has(b)}.`;
}

function retriedBy(
  item: Call | Sent | undefined,
  side: 'A' | 'B',
  flows: ComparedFlows,
): Call | Sent | undefined {
  const key = keyOf(item);
  if (!item || key === undefined) return undefined;
  const items = groupOf(item, side, flows);
  return items.slice(0, items.indexOf(item)).findLast((each) => keyOf(each) === key);
}

function keyOf(item: Call | Sent | undefined): string | undefined {
  return item?.kind === 'call' ? headerOf(item.request.headers, KEY) : undefined;
}

/** The calls before a difference and the differing one, of each file. */
export function contextOf(difference: FlowDifference, flows: ComparedFlows): string[] {
  const keys: string[] = [];
  return (['A', 'B'] as const).map((side) => {
    const item = side === 'A' ? difference.a : difference.b;
    const items = item ? groupOf(item, side, flows) : [];
    const at = item ? items.indexOf(item) : -1;
    const texts = items.slice(Math.max(0, at - SHOWN_BEFORE), at + 1).map((each) => {
      const key = difference.path === 'Idempotency-Key' ? keyOf(each) : undefined;
      if (key !== undefined && !keys.includes(key)) keys.push(key);
      return `#${each.place} ${nameOf(each)}${key === undefined ? '' : ` (key ${keys.indexOf(key) + 1})`}`;
    });
    return `  ${side}  ${texts.length === 0 ? '(none)' : texts.join('   ')}`;
  });
}

function groupOf(
  item: Call | Sent,
  side: 'A' | 'B',
  { a, b }: ComparedFlows,
): readonly (Call | Sent)[] {
  const { groups, webhooks } = side === 'A' ? a : b;
  const all: (readonly (Call | Sent)[])[] = [...groups.values(), ...webhooks.values()];
  return all.find((each) => each.includes(item)) ?? [];
}

function nameOf(item: Call | Sent): string {
  const results = item.kind === 'call' ? [item.result] : item.outcomes;
  return `${shortened(item.operation)} ${results.map((each) => shortened(each)).join(', ')}`.trim();
}

/** `3 calls only in A (GET /orders 3), 9 fields in 2 operations` */
export function summaryOf(differences: readonly FlowDifference[]): string {
  const kinds = Map.groupBy(differences, ({ kind }) => {
    const [noun, where] = NOUNS[kind];
    return noun === 'field' ? noun : `${noun}${where}`;
  });
  return Array.from(kinds.values(), (all) => {
    const [noun, where] = NOUNS[all[0]?.kind ?? 'value'];
    const counts = Array.from(
      Map.groupBy(all, ({ operation }) => operation),
      ([operation, of]) => `${shortened(operation)} ${of.length}`,
    );
    const counted = countOf(all.length, noun);
    if (noun === 'field') return `${counted} in ${countOf(counts.length, 'operation')}`;
    return `${counted}${where} (${counts.slice(0, 3).join(', ')}${counts.length > 3 ? ', …' : ''})`;
  }).join(', ');
}

/** `3 calls only in A: GET /orders` */
export function describeGroup(
  group: Pick<FlowDifference, 'kind' | 'operation' | 'path'>,
  count: number,
): string {
  const [noun, where] = NOUNS[group.kind];
  return `${countOf(count, noun)}${where}: ${shortened(group.operation)} ${shortened(group.path)}`.trimEnd();
}

function textOf(value: unknown): string {
  if (value === undefined) return 'absent';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
