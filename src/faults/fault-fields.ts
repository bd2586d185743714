import { EVENT_TYPES } from '../events/event-types.ts';
import { ERROR_CODES } from '../kernel/errors.ts';
import { DAY, formatExactDuration, MINUTE } from '../kernel/time.ts';

/** The type of a fault field. It uses no library, because the command line loads it at every start. */
export type FieldType =
  /** A whole number, from 1 to MAX_COUNT by default. The command line reads milliseconds as a duration: `2s`. */
  | { type: 'integer'; min?: number; max?: number; unit?: 'milliseconds' }
  /** A number above 0 and at most 1. */
  | { type: 'fraction' }
  | { type: 'choice'; values: readonly [string, ...string[]] }
  | { type: 'text'; max: number }
  /** Stored normalized. */
  | { type: 'domain' }
  /** False is the same as not given. */
  | { type: 'flag' };

export const MAX_COUNT = 1_000_000_000;

type ValueOf<F> = F extends { type: 'choice'; values: readonly (infer Value)[] }
  ? Value
  : F extends { type: 'flag' }
    ? boolean
    : F extends { type: 'integer' | 'fraction' }
      ? number
      : string;

export type FaultKind = 'request' | 'webhook';

/** Declares a field of a match or an effect, for types, validation and texts. */
export interface FieldRow {
  readonly field: Readonly<FieldType>;
  /** Commander flags; of a webhook effect, the word that `--webhook` takes. */
  readonly option: string;
  /** Sentence for the help and the schema, without its full stop. */
  readonly help: string;
  /** The kind of fault that can have it; both if left out. */
  readonly onlyFor?: FaultKind;
  /** Field of the same table that this one only modifies, and whose description includes it. */
  readonly needs?: string;
  /** Fields of the same table that cannot be combined with this one; it is enough that one of the two names the other. */
  readonly conflicts?: readonly string[];
  /**
   * Describes a value, by default with name and value, or only the name of a flag. `values` are those of the whole table.
   * Both are `never` because the rows have different types.
   */
  describe?(value: never, values: never): string;
}

export type FieldTable = Readonly<Record<string, FieldRow>>;

/** Fields that decide which requests or webhooks a fault acts on. `match-fault.ts` compares them. */
export const MATCHERS = {
  method: {
    // The methods of the partner API.
    field: { type: 'choice', values: ['GET', 'POST', 'PUT'] },
    onlyFor: 'request',
    option: '--method <method>',
    help: 'Match requests with this method',
  },
  path: {
    field: { type: 'text', max: 200 },
    onlyFor: 'request',
    option: '--path <path>',
    help: 'Match requests to this path: /orders/{public_id}, /orders/ord_1, "/me/*"',
  },
  domain: {
    field: { type: 'domain' },
    option: '--domain <domain>',
    help: 'Match requests that name this domain or an order or a quote of it, or webhooks about it',
    describe: (name: string) => `about ${name}`,
  },
  key_id: {
    field: { type: 'text', max: 128 },
    onlyFor: 'request',
    option: '--key <key-id>',
    help: 'Match requests of this credential',
    describe: (id: string) => `by ${id}`,
  },
  event: {
    field: { type: 'choice', values: EVENT_TYPES },
    onlyFor: 'webhook',
    option: '--event <type>',
    help: 'Match webhooks of this event type, such as order.recorded',
  },
  attempt: {
    field: { type: 'integer' },
    onlyFor: 'webhook',
    option: '--attempt <n>',
    help: 'Match only the nth attempt of a delivery',
  },
  delivery: {
    field: { type: 'integer' },
    onlyFor: 'webhook',
    option: '--delivery <n>',
    help: 'Match only the attempts of the nth delivery after the fault was added',
    conflicts: ['first', 'nth', 'every'],
  },
  first: {
    field: { type: 'integer' },
    option: '--first <n>',
    help: 'Act only on the first n matches',
  },
  nth: {
    field: { type: 'integer' },
    option: '--nth <n>',
    help: 'Act only on the nth match',
    conflicts: ['first', 'every'],
  },
  every: {
    field: { type: 'integer' },
    option: '--every <n>',
    help: 'Act only on every nth match',
  },
  probability: {
    field: { type: 'fraction' },
    option: '--probability <p>',
    help: 'Match each request or attempt with this probability, such as 0.2; the same seed gives the same result',
  },
} as const satisfies FieldTable;

export type FaultMatch = ValuesOf<typeof MATCHERS>;

/** The field `times`, which is beside `match`. */
export const TIMES = {
  field: { type: 'integer' },
  option: '--times <n>',
  help: 'Stop after the fault has acted n times',
} as const satisfies FieldRow;

/** Endings of the description of a delay, by `delay`. */
const DELAY_ENDINGS = {
  before: '',
  after: ' after commit',
  delivered: ' at most, until the webhooks are sent',
};

/** Effects on a partner API request. `http/pipeline/inject-fault.ts` injects them. */
export const REQUEST_EFFECTS = {
  status: {
    field: { type: 'integer', min: 400, max: 599 },
    option: '--status <status>',
    help: 'Return an error of the API with this status',
  },
  code: {
    field: { type: 'choice', values: ERROR_CODES },
    option: '--code <code>',
    help: 'Return this error of the API, such as internal_error',
  },
  delay_ms: {
    field: { type: 'integer', max: 10 * MINUTE, unit: 'milliseconds' },
    option: '--delay <duration>',
    help: 'Delay the response, in real time',
    describe: (ms: number, { delay }: { delay: keyof typeof DELAY_ENDINGS }) =>
      `delay ${formatExactDuration(ms)}${DELAY_ENDINGS[delay]}`,
  },
  delay: {
    field: { type: 'choice', values: ['before', 'after', 'delivered'] },
    option: '--delay-when <when>',
    help: 'Delay the request before it is handled, the response after the commit, or the response until the webhooks that are due are sent, for at most the delay',
    needs: 'delay_ms',
  },
  drop: {
    field: { type: 'choice', values: ['before', 'after'] },
    option: '--drop <when>',
    help: 'Close the connection without a response, before or after the commit',
    conflicts: ['status', 'code', 'truncate', 'gateway'],
    describe: (when: string) => `connection closed ${when} commit`,
  },
  gateway: {
    field: { type: 'integer', min: 502, max: 504 },
    option: '--gateway <status>',
    help: 'Return the HTML page of a gateway with this status, 502 to 504, instead of the response',
    conflicts: ['status', 'code', 'truncate'],
    describe: (status: number, { gateway_when }: { gateway_when: string }) =>
      `gateway ${status} ${gateway_when} commit`,
  },
  gateway_when: {
    field: { type: 'choice', values: ['before', 'after'] },
    option: '--gateway-when <when>',
    help: 'Return the page of the gateway before the request is handled, or after the commit',
    needs: 'gateway',
  },
  truncate: {
    field: { type: 'integer', min: 0 },
    option: '--truncate <bytes>',
    help: 'Close the connection after this many bytes of the response body',
    describe: (bytes: number) => `truncated after ${bytes} bytes`,
  },
} as const satisfies FieldTable;

export type RequestEffect = ValuesOf<typeof REQUEST_EFFECTS>;

/** Effects on an attempt to deliver a webhook. `webhooks/dispatcher.ts` injects them. */
export const WEBHOOK_EFFECTS = {
  delay_ms: {
    field: { type: 'integer', max: 365 * DAY, unit: 'milliseconds' },
    option: 'delay=10m',
    help: 'Send the webhook later, on the sandbox clock',
    describe: (ms: number) => `delay ${formatExactDuration(ms)}`,
  },
  duplicate: {
    field: { type: 'flag' },
    option: 'duplicate',
    help: 'Send the webhook twice',
  },
  reorder: {
    field: { type: 'flag' },
    option: 'reorder',
    help: "Send the webhook after the partner's next one",
    conflicts: ['delay_ms'],
  },
  drop: {
    field: { type: 'flag' },
    option: 'drop',
    help: 'Do not send the webhook; its retries follow',
    conflicts: ['duplicate', 'reorder', 'corrupt_signature'],
  },
  corrupt_signature: {
    field: { type: 'flag' },
    option: 'corrupt_signature',
    help: 'Send the webhook with a wrong signature',
  },
  discard_response: {
    field: { type: 'flag' },
    option: 'discard_response',
    help: 'Send the webhook and lose its response, as a proxy may; its retries follow',
    conflicts: ['drop', 'duplicate'],
  },
} as const satisfies FieldTable;

export type WebhookEffect = ValuesOf<typeof WEBHOOK_EFFECTS>;

type ValuesOf<Table> = {
  -readonly [Name in keyof Table]?:
    | (Table[Name] extends { field: infer F } ? ValueOf<F> : never)
    | undefined;
};

/** The values in a response: every field, null or false if it is not given. */
export type ViewOf<Table> = {
  -readonly [Name in keyof Table]: Table[Name] extends { field: infer F }
    ? F extends { type: 'flag' }
      ? boolean
      : ValueOf<F> | null
    : never;
};

/** Returns the fields that have a value other than `false` and null, in the order of their table. */
export function fieldsWithValue(
  table: FieldTable,
  values: object,
): { name: string; row: FieldRow; value: never }[] {
  const valueByName = values as Readonly<Record<string, unknown>>;
  return Object.entries(table).flatMap(([name, row]) => {
    const value = valueByName[name] ?? false;
    // Validation has checked that the value has the type of the field.
    return value === false ? [] : [{ name, row, value: value as never }];
  });
}

export function viewFields<Table extends FieldTable>(
  table: Table,
  values: ValuesOf<Table>,
): ViewOf<Table> {
  const valueByName: Readonly<Record<string, unknown>> = values;
  const view = Object.entries(table).map(([name, { field }]) => [
    name,
    valueByName[name] ?? (field.type === 'flag' ? false : null),
  ]);
  return Object.fromEntries(view) as ViewOf<Table>;
}
