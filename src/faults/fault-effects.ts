import { CodedError, ERROR_CODES, ERROR_STATUS, type ErrorCode } from '../kernel/errors.ts';
import { DAY, formatExactDuration, MINUTE, SECOND } from '../kernel/time.ts';
import { type FieldRow, givenFields, type ValuesOf } from './fault-fields.ts';
import type { DeliveryTarget } from './fault-matchers.ts';

export interface RequestEffectRow extends FieldRow {
  /** Returns the reason why the value cannot be injected. */
  check?(value: never, effect: never): string | undefined;
  /** Fields derived from the value. */
  resolve?(value: never, effect: never): object;
}

const DELAYED: Readonly<Record<string, string>> = {
  after: ' after commit',
  delivered: ' at most, until the webhooks are sent',
};

/** Effects on a partner API request. `http/pipeline/inject-fault.ts` injects them. */
export const REQUEST_EFFECTS = {
  status: {
    field: { type: 'integer', min: 400, max: 599 },
    option: '--status <status>',
    help: 'Return an error of the API with this status',
    check(status: number, { code }: { code?: ErrorCode | undefined }): string | undefined {
      const codes = codesOf(status);
      if (codes.length === 0) {
        return `the API returns no error ${status}; it returns ${statusList()}`;
      }
      if (code === undefined || codes.includes(code)) return undefined;
      return `${code} has the status ${ERROR_STATUS[code]}; with ${status} the API returns ${codes.join(' or ')}`;
    },
    resolve: (status: number, { code }: { code?: ErrorCode | undefined }) => ({
      code: code ?? codesOf(status)[0],
    }),
  },
  code: {
    field: { type: 'choice', values: ERROR_CODES },
    option: '--code <code>',
    help: 'Return this error of the API, such as internal_error',
    describe: (code: ErrorCode, { status }: { status: number }) => `${status} ${code}`,
    resolve: (code: ErrorCode, { status }: { status?: number | undefined }) => ({
      status: status ?? ERROR_STATUS[code],
    }),
  },
  delay_ms: {
    field: { type: 'integer', max: 10 * MINUTE, unit: 'milliseconds' },
    option: '--delay <duration>',
    help: 'Delay the response, in real time',
    describe: (ms: number, { delay }: { delay?: string | null }) =>
      `delay ${formatExactDuration(ms)}${DELAYED[delay ?? 'before'] ?? ''}`,
  },
  delay: {
    field: { type: 'choice', values: ['before', 'after', 'delivered'] },
    option: '--delay-when <when>',
    help: 'Delay the request before it is handled, the response after the commit, or the response until the webhooks that are due are sent, for at most the delay',
    needs: 'delay_ms',
    default: 'before',
  },
  drop: {
    field: { type: 'choice', values: ['before', 'after'] },
    option: '--drop <when>',
    help: 'Close the connection without a response, before or after the commit',
    conflicts: {
      with: ['status', 'code', 'truncate', 'gateway'],
      because: 'a closed connection has no response',
    },
    describe: (when: string) => `connection closed ${when} commit`,
  },
  gateway: {
    field: { type: 'integer', min: 502, max: 504 },
    option: '--gateway <status>',
    help: 'Return the HTML page of a gateway with this status, 502 to 504, instead of the response',
    conflicts: {
      with: ['status', 'code', 'truncate'],
      because: 'the gateway responds instead of the API',
    },
    describe: (status: number, { gateway_when: when }: { gateway_when?: string | null }) =>
      `gateway ${status} ${when ?? 'before'} commit`,
  },
  gateway_when: {
    field: { type: 'choice', values: ['before', 'after'] },
    option: '--gateway-when <when>',
    help: 'Return the page of the gateway before the request is handled, or after the commit',
    needs: 'gateway',
    default: 'before',
  },
  truncate: {
    field: { type: 'integer', min: 0, unit: 'bytes' },
    option: '--truncate <bytes>',
    help: 'Close the connection after this many bytes of the response body',
    describe: (bytes: number) => `truncated after ${bytes} bytes`,
  },
} as const satisfies Readonly<Record<string, RequestEffectRow>>;

export type RequestEffect = ValuesOf<typeof REQUEST_EFFECTS>;

export interface WebhookEffectRow extends FieldRow {
  /** Whether the effect can act on an attempt that matches otherwise. */
  canAct?(attempt: DeliveryTarget): boolean;
}

/** Effects on an attempt to deliver a webhook. `webhooks/inject-fault.ts` injects them. */
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
    describe: () => 'duplicate',
  },
  reorder: {
    field: { type: 'flag' },
    option: 'reorder',
    help: "Send the webhook after the partner's next one",
    conflicts: { with: ['delay_ms'], because: 'reorder decides when the webhook is sent' },
    describe: () => 'reorder',
    // The delivery that overtakes a reordered one is not reordered itself.
    canAct: ({ followsReordered }: DeliveryTarget) => !followsReordered,
  },
  drop: {
    field: { type: 'flag' },
    option: 'drop',
    help: 'Do not send the webhook; its retries follow',
    conflicts: {
      with: ['duplicate', 'reorder', 'corrupt_signature'],
      because: 'a dropped webhook is not sent',
    },
    describe: () => 'drop',
  },
  corrupt_signature: {
    field: { type: 'flag' },
    option: 'corrupt_signature',
    help: 'Send the webhook with a wrong signature',
    describe: () => 'corrupt_signature',
  },
  discard_response: {
    field: { type: 'flag' },
    option: 'discard_response',
    help: 'Send the webhook and lose its response, as a proxy may; its retries follow',
    conflicts: { with: ['drop', 'duplicate'], because: 'one response is discarded' },
    describe: () => 'discard_response',
  },
} as const satisfies Readonly<Record<string, WebhookEffectRow>>;

export type WebhookEffect = ValuesOf<typeof WEBHOOK_EFFECTS>;

/** Adds derived fields: the code of a status, and the status of a code. */
export function resolveEffect(effect: RequestEffect): RequestEffect {
  const resolved = { ...effect };
  for (const { row, value } of givenFields<RequestEffectRow>(REQUEST_EFFECTS, effect)) {
    Object.assign(resolved, row.resolve?.(value, resolved as never));
  }
  return resolved;
}

/** Codes by status, the default first. */
function codesOf(status: number): ErrorCode[] {
  // The second status of validation_error: a body over the limit.
  if (status === 413) return ['validation_error'];
  const codes = ERROR_CODES.filter((code) => ERROR_STATUS[code] === status);
  // The default for 401 is the error that a client with a wrong secret gets.
  return codes.toSorted(
    (a, b) => Number(b === 'invalid_signature') - Number(a === 'invalid_signature'),
  );
}

function statusList(): string {
  const statuses = new Set<number>([...Object.values(ERROR_STATUS), 413]);
  return [...statuses].toSorted((a, b) => a - b).join(', ');
}

export interface InjectedFault {
  effect: RequestEffect;
  /** The error of `effect.code`. */
  error?: CodedError | undefined;
}

/** Faults that a request triggers by naming a magic domain, by behavior. */
export const MAGIC_FAULTS: Readonly<Record<string, InjectedFault>> = {
  slow: { effect: { delay_ms: 3 * SECOND } },
  server_error: {
    effect: { code: 'internal_error' },
    error: new CodedError('internal_error', 'server-error.test: fails on purpose'),
  },
  rate_limited: {
    effect: { code: 'rate_limited' },
    error: new CodedError('rate_limited', 'rate-limited.test: always limited', {
      retryAfterSeconds: 2,
    }),
  },
};
