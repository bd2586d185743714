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
  type Answer,
  type AnswerDifference,
  answerOf,
  type Compared,
  codeOf,
  compareAnswers,
  isObject,
  noiseOf,
} from './compare-answers.ts';
import type { Planned } from './plan.ts';

/** The other sandbox cannot be compared with: exit code 3. */
export class TargetError extends Error {}

/** What happened to one request of the plan. */
export interface Outcome {
  place: string;
  operation: string;
  /** Why it is not measured. */
  reason?: string;
  measured?: Measured;
}

interface Measured extends Compared {
  /** Status of the recorded response and of that seen now. */
  statuses: [recorded: Answer['status'], replayed: Answer['status']];
  /** How long the sandboxes took; absent for the control API. */
  durations?: { recorded_ms?: number | undefined; replayed_ms: number };
}

export interface Target {
  url: string;
  fetch: Fetch;
  runtime: Runtime;
  /** By key ID of the file. */
  keys: ReadonlyMap<string, Key>;
  /** Given with --control. */
  world: string | undefined;
  token: string | undefined;
  /** Whether it has the same inventory. */
  comparesValues: boolean;
}

const TIMEOUT_MS = 30 * SECOND;
const MAX_WAITS = 5;
const MAX_WAIT_SECONDS = 120;

type Received = { response: ResponseRecord; duration: number };

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

  /** Takes note of a request that is sent, or was sent before. */
  note({ request }: Planned): void {
    this.#bindings.note(request);
    this.#hasFault ||= request.api === 'control' && /^\/_sandbox\/faults\b/.test(request.target);
  }

  /** Sends one request. @throws TargetError */
  async send(planned: Planned): Promise<Outcome> {
    const { place, operation, unsent } = planned;
    const result = unsent ?? (await this.#measure(planned));
    const isReason = typeof result === 'string';
    return { place, operation, ...(isReason ? { reason: result } : { measured: result }) };
  }

  /** @returns why it is not measured, or what was compared */
  async #measure(planned: Planned): Promise<string | Measured> {
    const { request, sent, unmeasured, recordedMs: recorded_ms } = planned;
    const keyId = keyOf(request) ?? '';
    const key = this.#target.keys.get(keyId);
    if (request.api === 'partner' && !key) return `no credential for ${keyId}`;
    const rewritten = this.#bindings.rewrite(sent);
    this.note(planned);
    if ('missing' in rewritten) return unmeasured ?? `no value for ${rewritten.missing}`;
    if (!request.response) return 'no recorded response';
    const recorded = answerOf(request.response, (json) => this.#bindings.inDomains(json));
    const received = await this.#receive(recorded, rewritten, key);
    if (typeof received === 'string') return received;
    const answer = answerOf(received.response);
    this.#check(answer, recorded);
    const rules = { values: this.#target.comparesValues, bindings: this.#bindings };
    const statuses: Measured['statuses'] = [recorded.status, answer.status];
    if (request.api === 'control') {
      const compared = compareAnswers(withoutContents(recorded), withoutContents(answer), rules);
      return unmeasured ?? { ...compared, statuses };
    }
    const isRepeated =
      request.method === 'GET' && !this.#hasFault && request.failed_check !== 'nonce';
    const again =
      isRepeated && !unmeasured
        ? await this.#receive(recorded, { ...rewritten, nonce: undefined }, key)
        : received;
    const second = typeof again === 'string' ? undefined : answerOf(again.response);
    if (second?.status !== answer.status) return 'two responses in a row differ';
    const noise = noiseOf(answer.body, second.body);
    const compared = compareAnswers(recorded, answer, { ...rules, noise });
    const durations = { recorded_ms, replayed_ms: received.duration };
    return unmeasured ?? { ...compared, statuses, durations };
  }

  /** @throws TargetError if this is not the API, or the credential is rejected */
  #check(answer: Answer, recorded: Answer): void {
    const { url } = this.#target;
    const { status, type, body } = answer;
    if (this.#isFirst && status !== 'closed' && !isObject(body)) {
      throw new TargetError(
        `${url} answers, but not as the partner API (status ${status}, ${type ?? 'no content type'})`,
      );
    }
    this.#isFirst &&= status === 'closed';
    if (status === 401 && recorded.status !== 401) {
      throw new TargetError(
        `${url} rejects the credential (401 ${codeOf(answer) ?? ''}); check SANDLOT_KEY_ID and SANDLOT_SECRET`,
      );
    }
  }

  /** Waits and sends again while a rate limit rejects it. @returns why there is no response */
  async #receive(
    recorded: Answer,
    request: PartnerRequest,
    key: Key | undefined,
  ): Promise<Received | string> {
    for (let waits = 0; ; waits += 1) {
      const nonce = waits === 0 ? request.nonce : undefined;
      const received = await this.#once(recorded, { ...request, nonce }, key);
      if (typeof received === 'string') return received;
      const { status, retryAfter } = answerOf(received.response);
      const seconds = Number(retryAfter ?? Number.NaN);
      if (status !== 429 || recorded.status === 429 || !(seconds >= 0)) return received;
      if (waits === MAX_WAITS) return `a rate limit rejects it ${waits + 1} times`;
      await this.#target.runtime.sleep(Math.min(seconds, MAX_WAIT_SECONDS) * SECOND);
    }
  }

  /** @throws TargetError if nothing listens */
  async #once(
    recorded: Answer,
    request: PartnerRequest,
    key: Key | undefined,
  ): Promise<Received | string> {
    const { url, runtime } = this.#target;
    const timeout = new AbortController();
    const cancel = runtime.after(TIMEOUT_MS, () => timeout.abort());
    const began = runtime.monotonic();
    let response: ResponseRecord = { closed: true };
    try {
      const answer = await this.#fetch(request, key, timeout.signal);
      const { status, headers } = answer;
      response = { status, headers: [...headers], body: { text: await answer.text() } };
    } catch (error) {
      if (timeout.signal.aborted) return `no response in ${TIMEOUT_MS / SECOND} s`;
      if (isUnreachable(error))
        throw new TargetError(`nothing responds at ${url}`, { cause: error });
      if (recorded.status !== 'closed') return 'the connection was closed without a response';
    } finally {
      cancel();
    }
    return { response, duration: Math.round(runtime.monotonic() - began) };
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

/** What is compared of the control API: another version may show more. */
function withoutContents(answer: Answer): Answer {
  const code = codeOf(answer);
  return { status: answer.status, ...(code !== undefined && { body: { error: { code } } }) };
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
  differences: ({ input: string; operation: string } & AnswerDifference)[];
  /** `recorded_ms`: from the first act of a request to its last, if it has several. */
  durations: ({ input: string } & NonNullable<Measured['durations']>)[];
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

const NOT_SERVED = new Set<Answer['status'] | undefined>([404, 405, 501]);

/** Sums up, operation by operation. */
export function resultOf(outcomes: readonly Outcome[]): AgainstResult {
  const compared = { responses: 0, fields: 0, values: 0 };
  const all: Omit<AgainstResult, 'result'> = {
    ...{ compared, operations: [], differences: [], durations: [] },
  };
  for (const [operation, of] of Map.groupBy(outcomes, (each) => each.operation)) {
    const measured = of.flatMap(({ measured: each, place: input }) =>
      each ? [{ ...each, input }] : [],
    );
    const isUnserved =
      measured.length > 0 &&
      measured.every(({ statuses }) => NOT_SERVED.has(statuses[1])) &&
      measured.some(({ statuses }) => !NOT_SERVED.has(statuses[0]));
    const served = isUnserved ? [] : measured;
    const differs = served.filter(({ differences }) => differences.length > 0).length;
    const reason = of.find((each) => each.reason !== undefined)?.reason;
    all.operations.push({
      operation,
      same: served.length - differs,
      differs,
      not_measured: of.length - measured.length,
      not_served: measured.length - served.length,
      ...(reason !== undefined && { reason }),
    });
    for (const { input, differences, fields, values, durations } of served) {
      compared.responses += durations ? 1 : 0;
      compared.fields += fields;
      compared.values += values;
      all.differences.push(...differences.map((each) => ({ input, operation, ...each })));
      if (durations) all.durations.push({ input, ...durations });
    }
  }
  const isCompared = compared.responses > 0 && compared.fields > 0;
  const result = all.differences.length > 0 ? 'differs' : isCompared ? 'same' : 'nothing';
  return { result, ...all };
}
