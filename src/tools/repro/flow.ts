import { describeResponse } from './describe.ts';
import { lookUp } from './fields.ts';
import { type Repro, type RequestRecord, textOf } from './format.ts';
import { parseBoundedJson } from './limits.ts';
import { ID, keyOf, operationOf } from './operation.ts';
import { placesOf } from './places.ts';

/** A call, or a webhook with all its attempts. */
export interface FlowItem {
  kind: 'call' | 'event';
  /** Undefined for a webhook. */
  request?: RequestRecord;
  place: string;
  /** Position in the file. */
  index: number;
  /** Sandbox time, Unix ms. */
  now: number;
  /** Real time since the start, in ms. */
  elapsed: number;
  /** API, credential and domain. Items are aligned with those of the same group. */
  group: string;
  /** All items of the group. */
  siblings: readonly FlowItem[];
  /** `POST /orders`, or the type of an event. */
  operation: string;
  /** `409 conflict`; empty for a webhook. */
  result: string;
  body: unknown;
  response?: unknown;
  /** How the attempts of a webhook ended. */
  outcomes: string[];
}

/** The calls and webhooks of a file by group, in the order of the file. */
export type ItemGroups = ReadonlyMap<string, FlowItem[]>;

export function groupItems({ head, inputs }: Repro): ItemGroups {
  const places = placesOf(inputs);
  const calls: FlowItem[] = [];
  const events = new Map<string, FlowItem>();
  const domains = new Map<string, string>();
  const credentials = new Map<string, number>();
  const start = head.base.type === 'seed' ? head.base.created_at : (inputs[0]?.at ?? 0);
  let now = inputs.find((input) => input.kind === 'act')?.now ?? start;
  for (const [index, input] of inputs.entries()) {
    const place = places.get(input) ?? '';
    if (input.kind === 'act') now = input.now;
    const elapsed = Math.max(0, input.at - start);
    const base = { place, index, now, elapsed, group: '', siblings: [] };
    if (input.kind === 'request') {
      const { api } = input;
      const call: FlowItem = {
        ...base,
        kind: 'call',
        request: input,
        operation: operationOf(input).operation,
        result: describeResponse(input),
        body: jsonOrText(textOf(input.body)),
        response: jsonOrText(textOf(input.response)),
        outcomes: [],
      };
      const key = api === 'partner' ? (keyOf(input) ?? 'none') : api;
      const credential = credentials.get(key) ?? credentials.size;
      credentials.set(key, credential);
      call.group = `${api} ${credential} ${subjectOf(call, domains)}`;
      calls.push(call);
    } else if (input.cause.type === 'attempt' || input.cause.type === 'outcome') {
      const { cause, params, given: sends = [] } = input;
      const event: FlowItem = events.get(cause.id ?? '') ?? {
        ...base,
        kind: 'event',
        operation: '',
        result: '',
        body: undefined,
        outcomes: [],
      };
      events.set(cause.id ?? '', event);
      if (params?.body !== undefined && event.body === undefined) {
        event.body = jsonOrText(params.body);
        const eventDomains = ['order.', 'case.', ''].map((prefix) =>
          valueAt(event.body, `data.${prefix}domain`),
        );
        event.group = `event 0 ${eventDomains.find((domain) => domain !== undefined) ?? ''}`;
        event.operation = String(valueAt(event.body, 'type'));
      }
      event.outcomes.push(
        ...sends.map(({ outcome, http_status }) => `${outcome} ${http_status ?? ''}`.trim()),
      );
    }
  }
  const items = [...calls, ...[...events.values()].filter(({ body }) => body !== undefined)];
  const groups = Map.groupBy(items, ({ group }) => group);
  for (const siblings of groups.values()) for (const item of siblings) item.siblings = siblings;
  return groups;
}

/** Returns the domain of a call, and remembers it for the ids that the call names. */
function subjectOf({ request, body, response }: FlowItem, domains: Map<string, string>): string {
  const target = request?.target ?? '';
  const ids = `${target} ${JSON.stringify(body ?? '')}`.match(ID) ?? [];
  const domain = [
    valueAt(body, 'domain'),
    new URLSearchParams(target.split('?')[1]).get('domain'),
    /\/domains\/([^/?]+\.[^/?]+)/.exec(target)?.[1],
    valueAt(response, 'domain'),
    ...ids.map((id) => domains.get(id)),
  ].find((value) => typeof value === 'string');
  if (domain === undefined) return '';
  for (const id of [...ids, ...Object.values(Object(response))]) {
    if (typeof id === 'string' && id.search(ID) === 0) domains.set(id, domain);
  }
  return domain.toLowerCase();
}

function valueAt(json: unknown, path: string): unknown {
  return lookUp(json, path).value;
}

/** Parses JSON; returns any other text unchanged. */
function jsonOrText(text: string): unknown {
  return text === '' ? undefined : (parseBoundedJson(text) ?? text);
}

/** Aligning two chunks takes a table of 8 MB. A recording has at most a few chunks of calls. */
const CHUNK = 2_000;

/** Returns the index pairs of a longest common subsequence, in order. Longer sequences are aligned chunk by chunk. */
export function align(a: readonly string[], b: readonly string[]): [number, number][] {
  const pairs: [number, number][] = [];
  let start = 0;
  for (; start < a.length && a[start] === b[start]; start += 1) pairs.push([start, start]);
  for (; start < Math.min(a.length, b.length); start += CHUNK) {
    const end = start + CHUNK;
    for (const [i, j] of alignChunk(a.slice(start, end), b.slice(start, end))) {
      pairs.push([start + i, start + j]);
    }
  }
  return pairs;
}

function alignChunk(a: readonly string[], b: readonly string[]): [number, number][] {
  // The length of the longest common subsequence from `i` and `j` on.
  const lengths = a.map(() => new Uint16Array(b.length + 1));
  const lengthAt = (i: number, j: number) => lengths[i]?.[j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = lengths[i] ?? new Uint16Array();
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] =
        a[i] === b[j] ? lengthAt(i + 1, j + 1) + 1 : Math.max(lengthAt(i + 1, j), row[j + 1] ?? 0);
    }
  }
  const pairs: [number, number][] = [];
  for (let [i, j] = [0, 0]; i < a.length && j < b.length; ) {
    if (a[i] === b[j]) pairs.push([i++, j++]);
    else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i += 1;
    else j += 1;
  }
  return pairs;
}
