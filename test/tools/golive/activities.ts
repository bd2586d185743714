import { ERROR_STATUS, type ErrorCode } from '../../../src/kernel/errors.ts';
import type {
  Activity,
  AttemptActivity,
  Operation,
  RequestActivity,
} from '../../../src/tools/golive/activity.ts';

export const CLIENT = 'dmk_1 acme/1.0';
export const OTHER_KEY = 'dmk_2 acme/1.0';
export const OTHER_PROGRAM = 'dmk_1 curl/8';

const START = Date.UTC(2026, 2, 2, 9);

/** Makes activities one second apart. Identical requests have the same body. */
export function activities() {
  let now = START;
  let count = 0;
  const next = () => {
    now += 1_000;
    count += 1;
    return count;
  };
  function request(operation: Operation, more: Partial<RequestActivity> = {}): RequestActivity {
    const n = next();
    const isWrite = operation.startsWith('post') || operation.startsWith('put');
    return {
      kind: 'request',
      api: 'partner',
      id: `req_${n}`,
      startedAt: now,
      endedAt: now + 10,
      at: now + 10,
      client: CLIENT,
      operation,
      method: isWrite ? 'POST' : 'GET',
      path: `/api/partner/v1/${operation}`,
      query: '',
      bodySha256: JSON.stringify(more.input ?? null),
      admitted: true,
      status: isWrite ? 201 : 200,
      complete: true,
      code: undefined,
      failedCheck: undefined,
      injectedBy: undefined,
      retryAfterSeconds: undefined,
      idempotencyKey: undefined,
      idempotency: undefined,
      mistake: undefined,
      recordedOrder: undefined,
      hasNonAsciiBody: false,
      warnings: [],
      hasSecret: false,
      input: undefined,
      response: undefined,
      ...more,
    };
  }
  function failed(
    operation: Operation,
    code: ErrorCode,
    more: Partial<RequestActivity> = {},
  ): RequestActivity {
    const admitted = ERROR_STATUS[code] !== 401;
    return request(operation, { code, status: ERROR_STATUS[code], admitted, ...more });
  }
  function attempt(event: string, more: Partial<AttemptActivity> = {}): AttemptActivity {
    next();
    return {
      kind: 'attempt',
      id: `dlv_${event}`,
      at: now,
      event,
      type: 'order.recorded',
      subject: 'ord_1',
      orderStatus: null,
      isForged: false,
      outcome: 'ok',
      status: 200,
      ...more,
    };
  }
  return {
    request,
    failed,
    attempt,
    /** Lets real time pass. */
    pass(ms: number) {
      now += ms;
    },
    /** Waits less than a back-off before the next activity. */
    hurry() {
      now -= 1_000 - 20;
    },
  };
}

export type Make = ReturnType<typeof activities>;

export const FAULT = 'any id';
export const MAGIC = 'magic: price_mismatch';

export function times(count: number, make: (n: number) => Activity): Activity[] {
  return Array.from({ length: count }, (_, n) => make(n));
}
