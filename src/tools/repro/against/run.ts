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
import { SIGNING_HEADERS } from '../../../signing/signature.ts';
import { parsedJson } from '../limits.ts';
import type { RequestRecord } from '../recording/recording.ts';
import { type Answer, answerOf, errorOf, isObject } from './answer.ts';
import type { Bindings } from './bindings.ts';
import { type AnswerDifference, compareAnswers, noiseOf } from './compare-answers.ts';
import type { Planned } from './plan.ts';

/** The other sandbox cannot be compared with: exit code 3. */
export class TargetError extends Error {}

/** What happened to one request of the plan. */
export interface Outcome {
  place: string;
  operation: string;
  /** Why it is not measured. */
  reason?: string | undefined;
  /** Status of the recorded response and of that seen now. */
  statuses?: [recorded: Answer['status'], replayed: Answer['status']] | undefined;
  differences: AnswerDifference[];
  fields: number;
  values: number;
  /** How long the other sandbox took; absent for the control API. */
  duration_ms?: number | undefined;
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

type Received = Answer & { duration: number };

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
    const { place, operation } = planned;
    const outcome = { place, operation, differences: [], fields: 0, values: 0 };
    const result = planned.unsent ?? (await this.#compare(planned));
    return typeof result === 'string' ? { ...outcome, reason: result } : { ...outcome, ...result };
  }

  /** @returns why it is not measured, or what was compared */
  async #compare(planned: Planned): Promise<string | Partial<Outcome>> {
    const { request, sent = request, unmeasured } = planned;
    const keyId = keyIdOf(request);
    const key = this.#target.keys.get(keyId);
    if (request.api === 'partner' && !key) return `no credential for ${keyId}`;
    const rewritten = this.#bindings.rewrite(sent);
    this.note(planned);
    if ('missing' in rewritten) return unmeasured ?? `no value for ${rewritten.missing}`;
    if (!request.response) return 'no recorded response';
    const recorded = answerOf(request.response);
    const answer = await this.#receive(recorded, rewritten, key);
    if (typeof answer === 'string') return answer;
    this.#check(answer, recorded);
    const isRepeated =
      request.method === 'GET' && !this.#hasFault && request.failed_check !== 'nonce';
    const again =
      isRepeated && !unmeasured
        ? await this.#receive(recorded, { ...rewritten, nonce: undefined }, key)
        : answer;
    const own = { ...recorded, body: this.#bindings.inDomains(recorded.body) };
    const rules = { values: this.#target.comparesValues, bindings: this.#bindings };
    const statuses: Outcome['statuses'] = [own.status, answer.status];
    if (request.api === 'control') {
      const { differences } = compareAnswers(withoutContents(own), withoutContents(answer), rules);
      return unmeasured ?? { differences, statuses };
    }
    if (typeof again === 'string' || again.status !== answer.status) {
      return 'two responses in a row differ';
    }
    const noise = noiseOf(answer.body, again.body);
    const compared = compareAnswers(own, answer, { ...rules, noise });
    return unmeasured ?? { ...compared, statuses, duration_ms: answer.duration };
  }

  /** @throws TargetError if this is not the API, or the credential is rejected */
  #check({ status, type, body }: Answer, recorded: Answer): void {
    const { url } = this.#target;
    if (this.#isFirst && status !== 'closed' && !isObject(body)) {
      throw new TargetError(
        `${url} answers, but not as the partner API (status ${status}, ${type ?? 'no content type'})`,
      );
    }
    this.#isFirst &&= status === 'closed';
    if (status === 401 && recorded.status !== 401) {
      throw new TargetError(
        `${url} rejects the credential (401 ${errorOf(body)?.code ?? ''}); check SANDLOT_KEY_ID and SANDLOT_SECRET`,
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
      if (typeof received === 'string' || received.status !== 429) return received;
      const seconds = Number(received.retryAfter ?? Number.NaN);
      if (recorded.status === 429 || !(seconds >= 0)) return received;
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
    const duration = () => Math.round(runtime.monotonic() - began);
    try {
      const response = await this.#fetch(request, key, timeout.signal);
      const header = (name: string) => response.headers.get(name) ?? undefined;
      return {
        body: parsedJson(await response.text()),
        status: response.status,
        type: header('content-type'),
        retryAfter: header('retry-after'),
        duration: duration(),
      };
    } catch (error) {
      if (timeout.signal.aborted) return `no response in ${TIMEOUT_MS / SECOND} s`;
      if (isUnreachable(error))
        throw new TargetError(`nothing responds at ${url}`, { cause: error });
      if (recorded.status !== 'closed') return 'the connection was closed without a response';
      return { status: 'closed', duration: duration() };
    } finally {
      cancel();
    }
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

export function keyIdOf({ headers }: RequestRecord): string {
  const name = SIGNING_HEADERS.keyId.toLowerCase();
  return headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
}

/** What is compared of the control API: another version may show more. */
function withoutContents({ status, body }: Answer): Answer {
  const error = errorOf(body);
  return { status, ...(error && { body: { error: { code: error.code } } }) };
}

function inWorld(target: string, world: string | undefined): string {
  const { pathname, searchParams } = new URL(target, 'http://sandbox.invalid');
  searchParams.delete('world');
  if (world !== undefined) searchParams.set('world', world);
  return searchParams.size === 0 ? pathname : `${pathname}?${searchParams}`;
}
