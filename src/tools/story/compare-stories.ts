import type { Formatter } from '../../cli/output.ts';
import { diffJson, type JsonDifference } from '../../kernel/diff-json.ts';
import { formatDuration, parseIsoTime } from '../../kernel/time.ts';
import { type Compared, toDifference } from '../../requests/compare-requests.ts';
import type { OrderStory, OrderStoryStep } from './order-story.ts';

/** Compares the stories of two orders: steps that only one has, and other outcomes. */
export function compareStories(a: OrderStory, b: OrderStory): Compared {
  const [partsOfA, partsOfB] = [partsOf(a), partsOf(b)];
  const isVolatile = (path: string, inA: unknown, inB: unknown) =>
    VOLATILE_PATH.test(path) || withoutIds(String(inA), a) === withoutIds(String(inB), b);
  const diff = diffJson(partsOfA, partsOfB, { isVolatile });
  const isTiming = ({ kind, path }: JsonDifference) => kind === 'order' && path === 'webhooks';
  const differences = diff.differences
    .filter((difference) => !isTiming(difference))
    .map((difference) => toDifference(asText(difference)));
  const same = differences.length === 0;
  return {
    same,
    reason: same ? null : reasonOf(a, b, differences),
    differences,
    volatile: [...diff.volatile, ...diff.differences.filter(isTiming)].map(toDifference),
  };
}

/** Paths whose values always differ between two orders. */
const VOLATILE_PATH = /^(?:public_id|domain)$|\.time$/;

/**
 * Converts a story to an object for comparison. Attempts are a separate list, because their position among the other steps
 * depends on the clock and the receiver.
 */
function partsOf(story: OrderStory) {
  const { public_id, domain, environment, status, waits_for, receiver_url, steps } = story;
  const count = new Map<string, number>();
  const start = parseIsoTime(steps[0]?.at ?? '') ?? 0;
  const parts = steps
    .filter(({ kind }) => kind !== 'clock')
    .map((step) => {
      const name = `${step.kind} ${withoutIds(step.text, story)}`;
      const n = (count.get(name) ?? 0) + 1;
      count.set(name, n);
      const time = formatDuration((parseIsoTime(step.at) ?? start) - start);
      const { response, detail } = step;
      return { kind: step.kind, id: n > 1 ? `${name} (${n})` : name, response, detail, time };
    });
  return {
    public_id,
    domain,
    environment,
    status,
    waits_for,
    receiver_url,
    steps: parts.filter(({ kind }) => !isSending(kind)),
    webhooks: parts.filter(({ kind }) => isSending(kind)),
  };
}
type StepParts = ReturnType<typeof partsOf>['steps'][number];

function isSending(kind: OrderStoryStep['kind']): boolean {
  return kind === 'attempt' || kind === 'pending';
}

/** Ids, times, durations and prices. */
const VOLATILE_TEXT =
  /\b[a-z]{2,5}_[0-9a-z]{12,}\b|\b(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\b|\bin \d+ ms\b|\b\d+ (?:days?|hours?|minutes?|seconds?|milliseconds?)\b|[$€£][\d,.]*\d/g;

function withoutIds(text: string, { domain }: OrderStory): string {
  return text.replaceAll(domain, '…').replaceAll(VOLATILE_TEXT, '…').replaceAll('… …', '…');
}

/** Describes steps of only one story as text, and reduces a reordered list to the differing part. */
function asText(difference: JsonDifference): JsonDifference {
  const { kind, a, b } = difference;
  if (kind === 'order' && Array.isArray(a) && Array.isArray(b)) {
    const start = a.findIndex((id, n) => id !== b[n]);
    const end = a.findLastIndex((id, n) => id !== b[n]) + 1;
    return { ...difference, a: a.slice(start, end), b: b.slice(start, end) };
  }
  const textOf = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    const { time, response, detail } = value as StepParts;
    return [`after ${time}`, response, detail].filter((part) => part !== null).join(', ');
  };
  if (kind === 'missing') return { ...difference, a: textOf(a) };
  return kind === 'added' ? { ...difference, b: textOf(b) } : difference;
}

/** Describes the states of the orders, and the first differing step. */
function reasonOf(a: OrderStory, b: OrderStory, differences: Compared['differences']): string {
  const states =
    a.status === b.status ? `Both are ${a.status}.` : `A is ${a.status}, B is ${b.status}.`;
  const [first] = differences.filter(({ path }) => placeOf(path).step !== undefined);
  if (!first) return states;
  const { step, field } = placeOf(first.path);
  if (field === undefined) {
    return `${states} Only ${first.b === null ? 'A' : 'B'} has the step ${step}.`;
  }
  const [inA, inB] = [first.a, first.b].map((value) => value ?? `no ${field}`);
  return `${states} ${step}: ${inA} in A, ${inB} in B.`;
}

/** Returns the step and field of a path, or only the field of the order. */
function placeOf(path: string): { step?: string | undefined; field?: string | undefined } {
  const [, step, field] = /^(?:steps|webhooks)\[(.*)\](?:\.(\w+))?$/.exec(path) ?? [];
  return step === undefined ? { field: path } : { step, field };
}

/** Formats the differences for a terminal. */
export function formatDifferences(
  { a, b, reason, differences, volatile }: Compared & { a: string; b: string },
  { colors, block, wrapAfter }: Formatter,
): string[] {
  const always = [...new Set(volatile.map(({ path }) => placeOf(path).field ?? path))];
  const removed = (text: unknown) => colors.error(`- ${wrapAfter(2, String(text))}`);
  const added = (text: unknown) => colors.success(`+ ${wrapAfter(2, String(text))}`);
  return [
    block([
      ['A', a],
      ['B', b],
    ]),
    '',
    wrapAfter(0, reason ?? 'no difference'),
    ...(differences.length === 0 ? [] : ['']),
    ...differences.flatMap(({ path, a, b }) => {
      const { step, field } = placeOf(path);
      if (step !== undefined && field === undefined) {
        return b === null ? removed(`${step}, ${a}`) : added(`${step}, ${b}`);
      }
      const name = step === undefined ? field : `${step}, ${field}`;
      return [colors.bold(name ?? ''), removed(a ?? 'none'), added(b ?? 'none')];
    }),
    '',
    colors.dim(`differ as always: ${always.join(', ')}`),
  ];
}
