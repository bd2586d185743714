import { describeResponse } from './describe.ts';
import { bytesOf, type Repro } from './format.ts';
import { parsedJson } from './limits.ts';
import { placesOf } from './places.ts';
import type { RequestRecord } from './recording/recording.ts';

export const ID = /\b[a-z]{2,6}_(?:[a-z]+_)*(?=[0-9A-Za-z]*\d)[0-9A-Za-z]{10,}\b/g;

/** A request, with what it is aligned by. */
export interface Call {
  kind: 'call';
  request: RequestRecord;
  place: string;
  /** Where it is in the file. */
  at: number;
  /** `POST /orders`. */
  operation: string;
  /** `409 conflict`. */
  result: string;
  body: unknown;
  response: unknown;
}

/** A webhook with the outcomes of its attempts. */
export interface Sent {
  kind: 'sent';
  place: string;
  at: number;
  /** Event type. */
  operation: string;
  body: unknown;
  outcomes: string[];
}

/** The calls and webhooks of a file, by credential and domain, in the order of the file. */
export interface Flow {
  groups: Map<string, Call[]>;
  webhooks: Map<string, Sent[]>;
  /** Operations of requests, by the sandbox time of their acts. */
  anchors: Map<number, Set<string>>;
  /** Real time since the start, and sandbox time, by the index of an input. */
  elapsed: number[];
  nows: number[];
}

export function flowOf({ head, inputs }: Repro): Flow {
  const places = placesOf(inputs);
  const flow: Flow = {
    groups: new Map(),
    webhooks: new Map(),
    anchors: new Map(),
    elapsed: [],
    nows: [],
  };
  const domains = new Map<string, string>();
  const credentials = new Map<string, string>();
  const operations = new Map<number, string>();
  const deliveries = new Map<string, Sent>();
  const start = head.base.type === 'seed' ? head.base.created_at : (inputs[0]?.at ?? 0);
  let now = inputs.find((each) => each.kind === 'act')?.now ?? start;
  for (const [at, input] of inputs.entries()) {
    const place = places.get(input) ?? '';
    if (input.kind === 'act') {
      now = input.now;
      const { cause } = input;
      const operation = cause.type === 'request' ? operations.get(cause.of) : cause.type;
      const anchors = flow.anchors.get(now) ?? new Set();
      flow.anchors.set(now, anchors.add(operation ?? ''));
    }
    flow.elapsed.push(Math.max(0, input.at - start));
    flow.nows.push(now);
    if (input.kind === 'request') {
      const call = callOf(input, place, at);
      for (const n of input.acts) operations.set(n, call.operation);
      const subject = subjectOf(call, domains);
      const keyId = input.headers.find(([name]) => name.toLowerCase() === 'x-service-key-id')?.[1];
      const credential = input.api === 'partner' ? (keyId ?? 'none') : input.api;
      const name = credentials.get(credential) ?? `${credentials.size}`;
      credentials.set(credential, name);
      append(flow.groups, `${input.api} ${name} ${subject}`, call);
    } else if (input.cause.type === 'attempt' || input.cause.type === 'outcome') {
      const { id = '' } = input.cause;
      const sent: Sent = deliveries.get(id) ?? {
        kind: 'sent',
        place,
        at,
        operation: '',
        body: undefined,
        outcomes: [],
      };
      deliveries.set(id, sent);
      const { params, given = [] } = input;
      if (params?.body !== undefined) sent.body ??= jsonOf(params.body);
      for (const { outcome, http_status } of given)
        sent.outcomes.push(`${outcome} ${http_status ?? ''}`.trim());
    }
  }
  for (const sent of deliveries.values()) {
    if (sent.body === undefined) continue;
    sent.operation = String(fieldOf(sent.body, 'type'));
    const data = fieldOf(sent.body, 'data');
    const domain = fieldOf(fieldOf(data, 'order') ?? fieldOf(data, 'case') ?? data, 'domain');
    append(flow.webhooks, String(domain ?? ''), sent);
  }
  return flow;
}

function append<T>(groups: Map<string, T[]>, name: string, item: T): void {
  const items = groups.get(name);
  if (items) items.push(item);
  else groups.set(name, [item]);
}

function callOf(request: RequestRecord, place: string, at: number): Call {
  const { method, target, body, response } = request;
  const [path = ''] = target.split('?');
  const isId = (part: string) => part.includes('.') || part.length > 24 || part.search(ID) === 0;
  const parts = path.replace(/^\/api\/partner(?:\/v1)?(?=\/)/, '').split('/');
  const operation = `${method} ${parts.map((part) => (isId(part) ? '{id}' : part)).join('/')}`;
  const text = response && 'body' in response && !('bytes' in response.body) ? response.body : null;
  return {
    ...{ kind: 'call', request, place, at, operation },
    result: describeResponse(request),
    body: jsonOf(bytesOf(body).toString()),
    response: jsonOf(bytesOf(text).toString()),
  };
}

/** Returns the domain that a call is about, and remembers it for the ids that the call names. */
function subjectOf(call: Call, domains: Map<string, string>): string {
  const { request, body, response } = call;
  const query = new URLSearchParams(request.target.split('?')[1] ?? '');
  const inPath = /\/domains\/([^/?]+\.[^/?]+)/.exec(request.target)?.[1];
  const named = [fieldOf(body, 'domain'), query.get('domain'), inPath, fieldOf(response, 'domain')];
  const text = `${request.target} ${JSON.stringify(body ?? '')}`;
  const ids = text.match(ID) ?? [];
  const domain =
    named.find((each) => typeof each === 'string') ??
    ids.map((id) => domains.get(id)).find((each) => each !== undefined);
  if (typeof domain !== 'string') return '';
  const shown = typeof response === 'object' && response !== null ? Object.values(response) : [];
  for (const id of [...ids, ...shown]) {
    if (typeof id === 'string' && id.search(ID) === 0) domains.set(id, domain);
  }
  return domain.toLowerCase();
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return (value as Record<string, unknown>)[name];
}

/** Returns what JSON holds, and any other text as it is. */
function jsonOf(text: string): unknown {
  if (text === '') return undefined;
  const value = parsedJson(text);
  return value === undefined ? text : value;
}
