import type { Fetch } from '../../../client/fetch.ts';
import {
  type Key,
  type PartnerRequest,
  sendSigned,
  signPartnerRequest,
} from '../../../client/partner-client.ts';
import { isUnreachable } from '../../../client/unreachable.ts';
import type { Runtime } from '../../../kernel/runtime.ts';
import { SECOND } from '../../../kernel/time.ts';
import type { ResponseRecord } from '../format.ts';
import { keyOf } from '../operation.ts';
import type { Bindings } from './bindings.ts';
import {
  type ComparedResponse,
  codeOf,
  compareWithTarget,
  isObject,
  noiseOf,
  type ResponseComparison,
  type TargetDifference,
  toComparable,
} from './compare-with-target.ts';
import type { PlannedRequest } from './plan.ts';

/** No comparison with the other sandbox is possible: exit code 3. */
export class TargetError extends Error {}

/** The result of one request of the plan; a line of `--state`. */
export interface Outcome {
  place: string;
  operation: string;
  /** Why it is not measured. */
  reason?: string;
  measured?: Measurement;
}

interface Measurement extends ResponseComparison {
  statuses: [recorded: ComparedResponse['status'], replayed: ComparedResponse['status']];
  /** Durations of the sandboxes; absent for the control API. */
  durations?: { recorded_ms?: number | undefined; replayed_ms: number };
}

export interface Target {
  url: string;
  fetch: Fetch;
  runtime: Runtime;
  /** By key ID of the file. */
  keys: ReadonlyMap<string, Key>;
  /** With --control. */
  world: string | undefined;
  token: string | undefined;
  /** Whether it has the same inventory. */
  comparesValues: boolean;
}

const TIMEOUT_MS = 30 * SECOND;
const MAX_WAITS = 5;
const MAX_WAIT_SECONDS = 120;

type Exchange = { response: ResponseRecord; duration: number };

/** Sends the requests of a plan, one at a time, and compares the responses. */
export class AgainstRun {
  readonly #target: Target;
  readonly #bindings: Bindings;
  #hasFault = false;
  #isFirst = true;

  constructor(target: Target, bindings: Bindings) {
    this.#target = target;
    this.#bindings = bindings;
  }

  /** Notes the recorded response of a request, and whether it sets a fault. */
  note({ request }: PlannedRequest): void {
    this.#bindings.noteRecordedTexts(request);
    this.#hasFault ||= request.api === 'control' && /^\/_sandbox\/faults\b/.test(request.target);
  }

  /** Sends one request. @throws TargetError */
  async send(plannedRequest: PlannedRequest): Promise<Outcome> {
    const { place, operation, unsentReason } = plannedRequest;
    const result = unsentReason ?? (await this.#measure(plannedRequest));
    const isReason = typeof result === 'string';
    return { place, operation, ...(isReason ? { reason: result } : { measured: result }) };
  }

  /** @returns the reason if it is not measured */
  async #measure(plannedRequest: PlannedRequest): Promise<string | Measurement> {
    const { request, sentRequest, unmeasuredReason, recordedMs } = plannedRequest;
    const keyId = keyOf(request) ?? '';
    const key = this.#target.keys.get(keyId);
    if (request.api === 'partner' && !key) return `no credential for ${keyId}`;
    const rewritten = this.#bindings.rewrite(sentRequest);
    this.note(plannedRequest);
    if ('missing' in rewritten) return unmeasuredReason ?? `no value for ${rewritten.missing}`;
    if (!request.response) return 'no recorded response';
    const recorded = toComparable(request.response, (json) => this.#bindings.mapDomains(json));
    const exchange = await this.#sendWithRetries(recorded, rewritten, key);
    if (typeof exchange === 'string') return exchange;
    const response = toComparable(exchange.response);
    this.#check(response, recorded);
    const rules = { values: this.#target.comparesValues, bindings: this.#bindings };
    const statuses: Measurement['statuses'] = [recorded.status, response.status];
    if (request.api === 'control') {
      const [before, after] = [withoutContents(recorded), withoutContents(response)];
      const comparison = compareWithTarget(before, after, rules);
      return unmeasuredReason ?? { ...comparison, statuses };
    }
    const isRepeated =
      request.method === 'GET' && !this.#hasFault && request.failed_check !== 'nonce';
    const repeat =
      isRepeated && !unmeasuredReason
        ? await this.#sendWithRetries(recorded, { ...rewritten, nonce: undefined }, key)
        : exchange;
    const second = typeof repeat === 'string' ? undefined : toComparable(repeat.response);
    if (second?.status !== response.status) return 'two responses in a row differ';
    const noise = noiseOf(response.body, second.body);
    const comparison = compareWithTarget(recorded, response, { ...rules, noise });
    const durations = { recorded_ms: recordedMs, replayed_ms: exchange.duration };
    return unmeasuredReason ?? { ...comparison, statuses, durations };
  }

  /** @throws TargetError if this is not the partner API, or the credential is rejected */
  #check(response: ComparedResponse, recorded: ComparedResponse): void {
    const { url } = this.#target;
    const { status, type, body } = response;
    if (this.#isFirst && status !== 'closed' && !isObject(body)) {
      throw new TargetError(
        `${url} answers, but not as the partner API (status ${status}, ${type ?? 'no content type'})`,
      );
    }
    this.#isFirst &&= status === 'closed';
    if (status === 401 && recorded.status !== 401) {
      throw new TargetError(
        `${url} rejects the credential (401 ${codeOf(response) ?? ''}); check SANDLOT_KEY_ID and SANDLOT_SECRET`,
      );
    }
  }

  /** Retries while a rate limit rejects the request. @returns the reason if there is no response */
  async #sendWithRetries(
    recorded: ComparedResponse,
    request: PartnerRequest,
    key: Key | undefined,
  ): Promise<Exchange | string> {
    for (let waits = 0; ; waits += 1) {
      const nonce = waits === 0 ? request.nonce : undefined;
      const exchange = await this.#sendOnce(recorded, { ...request, nonce }, key);
      if (typeof exchange === 'string') return exchange;
      const { status, retryAfter } = toComparable(exchange.response);
      const seconds = Number(retryAfter ?? Number.NaN);
      if (status !== 429 || recorded.status === 429 || !(seconds >= 0)) return exchange;
      if (waits === MAX_WAITS) return `a rate limit rejects it ${waits + 1} times`;
      await this.#target.runtime.sleep(Math.min(seconds, MAX_WAIT_SECONDS) * SECOND);
    }
  }

  /** @throws TargetError if nothing listens */
  async #sendOnce(
    recorded: ComparedResponse,
    request: PartnerRequest,
    key: Key | undefined,
  ): Promise<Exchange | string> {
    const { url, runtime } = this.#target;
    const timeout = new AbortController();
    const cancel = runtime.after(TIMEOUT_MS, () => timeout.abort());
    const start = runtime.monotonic();
    let response: ResponseRecord = { closed: true };
    try {
      const httpResponse = await this.#fetch(request, key, timeout.signal);
      const { status, headers } = httpResponse;
      response = { status, headers: [...headers], body: { text: await httpResponse.text() } };
    } catch (error) {
      if (timeout.signal.aborted) return `no response in ${TIMEOUT_MS / SECOND} s`;
      if (isUnreachable(error))
        throw new TargetError(`nothing responds at ${url}`, { cause: error });
      if (recorded.status !== 'closed') return 'the connection was closed without a response';
    } finally {
      cancel();
    }
    return { response, duration: Math.round(runtime.monotonic() - start) };
  }

  #fetch(request: PartnerRequest, key: Key | undefined, signal: AbortSignal): Promise<Response> {
    const { url, runtime, world, token } = this.#target;
    const fetch: Fetch = (address, init) =>
      this.#target.fetch(address, { ...init, redirect: 'manual', signal });
    if (key) return sendSigned(fetch, signPartnerRequest(url, key, request, runtime.now()));
    const authorization = token === undefined ? {} : { Authorization: `Bearer ${token}` };
    const { method, target, body, headers } = request;
    return fetch(`${url}${inWorld(target, world)}`, {
      method,
      headers: { ...headers, ...authorization },
      ...(body !== undefined && { body: body as string }),
    });
  }
}

/** Keeps the status and the error code: another version of the control API may return more fields. */
function withoutContents(response: ComparedResponse): ComparedResponse {
  const code = codeOf(response);
  return { status: response.status, ...(code !== undefined && { body: { error: { code } } }) };
}

function inWorld(target: string, world: string | undefined): string {
  const { pathname, searchParams } = new URL(target, 'http://sandbox.invalid');
  searchParams.delete('world');
  if (world !== undefined) searchParams.set('world', world);
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}

/** What `repro replay --against --json` prints. */
export interface AgainstResult {
  result: 'same' | 'differs' | 'nothing';
  compared: { responses: number; fields: number; values: number };
  operations: OperationResult[];
  differences: ({ input: string; operation: string } & TargetDifference)[];
  /** `recorded_ms`: from the first act of a request to its last, if it has several. */
  durations: ({ input: string } & NonNullable<Measurement['durations']>)[];
}

export interface OperationResult {
  operation: string;
  same: number;
  differs: number;
  not_measured: number;
  not_served: number;
  /** Why requests are not measured. */
  reason?: string;
}

const NOT_SERVED = new Set<ComparedResponse['status'] | undefined>([404, 405, 501]);

/** Sums up the outcomes by operation. */
export function summarize(outcomes: readonly Outcome[]): AgainstResult {
  const compared = { responses: 0, fields: 0, values: 0 };
  const totals: Omit<AgainstResult, 'result'> = {
    compared,
    operations: [],
    differences: [],
    durations: [],
  };
  for (const [operation, group] of Map.groupBy(outcomes, (outcome) => outcome.operation)) {
    const measurements = group.flatMap(({ measured: measurement, place: input }) =>
      measurement ? [{ ...measurement, input }] : [],
    );
    const isUnserved =
      measurements.length > 0 &&
      measurements.every(({ statuses }) => NOT_SERVED.has(statuses[1])) &&
      measurements.some(({ statuses }) => !NOT_SERVED.has(statuses[0]));
    const served = isUnserved ? [] : measurements;
    const differs = served.filter(({ differences }) => differences.length > 0).length;
    const reason = group.find((outcome) => outcome.reason !== undefined)?.reason;
    totals.operations.push({
      operation,
      same: served.length - differs,
      differs,
      not_measured: group.length - measurements.length,
      not_served: measurements.length - served.length,
      ...(reason !== undefined && { reason }),
    });
    for (const { input, differences, fields, values, durations } of served) {
      compared.responses += durations ? 1 : 0;
      compared.fields += fields;
      compared.values += values;
      totals.differences.push(
        ...differences.map((difference) => ({ input, operation, ...difference })),
      );
      if (durations) totals.durations.push({ input, ...durations });
    }
  }
  const isCompared = compared.responses > 0 && compared.fields > 0;
  const result = totals.differences.length > 0 ? 'differs' : isCompared ? 'same' : 'nothing';
  return { result, ...totals };
}
