import type { ControlClient } from '../../../client/control-client.ts';
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
import type { RequestRecord } from '../../../requests/recording.ts';
import { SIGNING_HEADERS } from '../../../signing/signature.ts';
import { bytesOf } from '../format.ts';
import { parsedJson } from '../limits.ts';
import { type Bindings, mapTexts } from './bindings.ts';
import {
  type Answer,
  type AnswerDifference,
  answerOf,
  compareAnswers,
  isObject,
  noiseOf,
} from './compare-answers.ts';
import { operationOf, type Planned } from './plan.ts';

/** The other sandbox cannot be compared with: exit code 3. */
export class TargetError extends Error {}

/** What happened to one request of the plan. */
export interface Outcome {
  place: string;
  operation: string;
  /** Why it is not measured. */
  reason?: string | undefined;
  /** Status of the recorded response and of that seen now. */
  statuses?: [recorded: number, replayed: number] | undefined;
  differences: AnswerDifference[];
  fields: number;
  values: number;
  /** How long the other sandbox took. */
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
}

const TIMEOUT_MS = 30 * SECOND;
const MAX_WAITS = 5;

interface Received {
  answer: Answer;
  response: Response;
  duration: number;
}

/** Sends the requests of a plan, one at a time, and compares the responses. */
export class AgainstRun {
  readonly #target: Target;
  readonly #bindings: Bindings;
  readonly #comparesValues: boolean;
  /** Whether IDs that no response of the file shows can exist. */
  readonly #hasRows: boolean;
  readonly #shown = new Set<string>();
  #hasFault = false;
  #isFirst = true;

  constructor(
    target: Target,
    bindings: Bindings,
    { comparesValues, hasRows }: { comparesValues: boolean; hasRows: boolean },
  ) {
    this.#target = target;
    this.#bindings = bindings;
    this.#comparesValues = comparesValues;
    this.#hasRows = hasRows;
  }

  /** Notes the values of a recorded response, which is not sent or was sent before. */
  note({ request }: Planned): void {
    mapTexts(recordedBody(request), (_name, value) => {
      this.#shown.add(value);
      return value;
    });
    if (request.api === 'control' && /^\/_sandbox\/faults\b/.test(request.target)) {
      this.#hasFault = true;
    }
  }

  /** Sends one request. @throws TargetError */
  async send(planned: Planned): Promise<Outcome> {
    const { request, place, operation } = planned;
    const outcome = (more: Partial<Outcome>): Outcome => ({
      ...{ place, operation, differences: [], fields: 0, values: 0 },
      ...more,
    });
    if (planned.unsent) return outcome({ reason: planned.unsent });
    const keyId = keyIdOf(request);
    const key = this.#target.keys.get(keyId);
    if (request.api === 'partner' && !key) return outcome({ reason: `no credential for ${keyId}` });
    const rewritten = this.#rewrite(request);
    this.note(planned);
    if ('missing' in rewritten) {
      return outcome({ reason: planned.unmeasured ?? `no value for ${rewritten.missing}` });
    }
    const received = await this.#receive(request, rewritten, key);
    const recorded = request.response && answerOf(request.response);
    if (!recorded || received === undefined) return outcome({ reason: 'no response' });
    const { answer, response, duration } = received;
    this.#check(answer, response, recorded);
    const own = { ...recorded, body: this.#bindings.inDomains(recorded.body) };
    if (answer.status < 400) this.#bindings.learn(own.body, answer.body);
    const statuses: [number, number] = [recorded.status, answer.status];
    if (planned.unmeasured !== undefined) return outcome({ reason: planned.unmeasured });
    const noise = await this.#noise(request, rewritten, key, answer);
    if (noise === undefined) return outcome({ reason: 'two responses in a row differ' });
    if (request.api === 'control') {
      const body = (of: Answer) => (of.status >= 400 ? of.body : undefined);
      const [one, other] = [own, answer].map((of) => ({ ...of, body: body(of), type: undefined }));
      if (!one || !other) return outcome({});
      return outcome({
        ...compareAnswers(one, other, { values: false, noise }),
        fields: 0,
        statuses,
      });
    }
    const rules = { values: this.#comparesValues, noise };
    return outcome({ ...compareAnswers(own, answer, rules), statuses, duration_ms: duration });
  }

  /** @throws TargetError if this is not the API, or the credential is rejected */
  #check(answer: Answer, response: Response, recorded: Answer): void {
    const { url } = this.#target;
    if (this.#isFirst && answer.status > 0 && !isObject(answer.body)) {
      const type = response.headers.get('content-type') ?? 'no content type';
      throw new TargetError(
        `${url} answers, but not as the partner API (status ${answer.status}, ${type})`,
      );
    }
    if (answer.status > 0) this.#isFirst = false;
    if (answer.status === 401 && recorded.status !== 401) {
      const error = isObject(answer.body) ? answer.body.error : undefined;
      const code = isObject(error) ? ` ${error.code}` : '';
      throw new TargetError(
        `${url} rejects the credential (401${code}); check SANDLOT_KEY_ID and SANDLOT_SECRET`,
      );
    }
  }

  /** Sends a GET again. @returns the paths that differ; undefined if all does */
  async #noise(
    request: RequestRecord,
    rewritten: PartnerRequest,
    key: Key | undefined,
    first: Answer,
  ): Promise<Set<string> | undefined> {
    const isRepeated =
      request.method === 'GET' && !this.#hasFault && request.failed_check !== 'nonce';
    if (!isRepeated || first.status === 0) return new Set();
    const again = await this.#receive(request, { ...rewritten, nonce: undefined }, key);
    if (again?.answer.status !== first.status) return undefined;
    return new Set(noiseOf(first.body, again.answer.body));
  }

  /** Waits and sends again while a rate limit rejects it. @returns undefined without a response in time */
  async #receive(
    request: RequestRecord,
    rewritten: PartnerRequest,
    key: Key | undefined,
  ): Promise<Received | undefined> {
    const { runtime } = this.#target;
    const isLimited =
      request.response && 'status' in request.response && request.response.status === 429;
    for (let waits = 0; ; waits += 1) {
      const nonce = waits === 0 ? rewritten.nonce : undefined;
      const received = await this.#once(request, { ...rewritten, nonce }, key);
      const seconds = Number(received?.answer.retryAfter ?? Number.NaN);
      const isOver = received?.answer.status !== 429 || isLimited || !Number.isFinite(seconds);
      if (isOver) return received;
      if (waits === MAX_WAITS) return undefined;
      await runtime.sleep(Math.min(Math.max(seconds, 0), 120) * SECOND);
    }
  }

  /** @throws TargetError if nothing listens */
  async #once(
    { api, response: recorded }: RequestRecord,
    rewritten: PartnerRequest,
    key: Key | undefined,
  ): Promise<Received | undefined> {
    const { url, runtime, world, token, fetch } = this.#target;
    const timed: Fetch = (address, init) =>
      fetch(address, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) });
    const began = runtime.monotonic();
    try {
      const response =
        api === 'partner' && key
          ? await sendSigned(timed, signPartnerRequest(url, key, rewritten, runtime.now()))
          : await timed(`${url}${withWorld(rewritten.target, world)}`, {
              method: rewritten.method,
              headers: {
                ...rewritten.headers,
                ...(token !== undefined && { Authorization: `Bearer ${token}` }),
              },
              ...(rewritten.body !== undefined && { body: rewritten.body as string }),
            });
      const text = await response.text();
      const header = (name: string) => response.headers.get(name) ?? undefined;
      const answer: Answer = {
        status: response.status,
        type: header('content-type'),
        retryAfter: header('retry-after'),
        body: parsedJson(text),
        isLong: false,
      };
      return { answer, response, duration: Math.round(runtime.monotonic() - began) };
    } catch (error) {
      if (isUnreachable(error))
        throw new TargetError(`nothing responds at ${url}`, { cause: error });
      if (!recorded || !('closed' in recorded)) return undefined;
      const answer = answerOf({ closed: true });
      return {
        answer,
        response: new Response(),
        duration: Math.round(runtime.monotonic() - began),
      };
    }
  }

  /** The request with the values of the other sandbox, or the name of one that is missing. */
  #rewrite(request: RequestRecord): PartnerRequest | { missing: string } {
    let missing: string | undefined;
    const isAccepted =
      request.response && 'status' in request.response && request.response.status < 400;
    const replaced = (name: string, value: string): string => {
      if (!this.#bindings.isBound(name)) return this.#bindings.domain(value);
      const found = this.#bindings.find(name, value);
      if (found === undefined && (isAccepted || this.#hasRows || this.#shown.has(value))) {
        missing ??= name;
      }
      return found ?? value;
    };
    const target = this.#rewriteTarget(request, replaced);
    const text = bytesOf(request.body);
    const json = parsedJson(text.toString());
    const changed = json === undefined ? undefined : mapTexts(json, replaced);
    if (missing !== undefined) return { missing };
    const header = (name: string) =>
      request.headers.find(([each]) => each.toLowerCase() === name.toLowerCase())?.[1];
    const [key, type, nonce] = [
      header('idempotency-key'),
      header('content-type'),
      header(SIGNING_HEADERS.nonce),
    ];
    const isChanged = JSON.stringify(changed) !== JSON.stringify(json);
    return {
      method: request.method,
      target,
      body:
        text.length === 0 ? undefined : isChanged ? JSON.stringify(changed) : new Uint8Array(text),
      headers: {
        ...(type !== undefined && { 'Content-Type': type }),
        ...(key !== undefined && {
          'Idempotency-Key': key === '' ? '' : this.#bindings.renewed('key', key),
        }),
      },
      nonce: nonce === undefined ? undefined : this.#bindings.renewed('nonce', nonce),
    };
  }

  #rewriteTarget(
    request: RequestRecord,
    replaced: (name: string, value: string) => string,
  ): string {
    const [path = '', query] = splitOnce(request.target);
    const names = Object.entries(operationOf(request).params);
    const segments = path.split('/').map((segment) => {
      const value = decoded(segment);
      const [name] = names.find(([, each]) => each === segment) ?? [];
      const now =
        request.api === 'control'
          ? (this.#bindings.find('public_id', value) ??
            this.#bindings.find('case_id', value) ??
            this.#bindings.domain(value))
          : name === undefined
            ? value
            : replaced(name, value);
      return now === value ? segment : encodeURIComponent(now);
    });
    if (query === undefined) return segments.join('/');
    const pairs = query.split('&').map((pair) => {
      const [name = '', value] = pair.split(/=(.*)/s, 2);
      if (value === undefined) return pair;
      const now = replaced(decoded(name), decoded(value));
      return now === decoded(value) ? pair : `${name}=${encodeURIComponent(now)}`;
    });
    return `${segments.join('/')}?${pairs.join('&')}`;
  }
}

export function keyIdOf({ headers }: RequestRecord): string {
  const name = SIGNING_HEADERS.keyId.toLowerCase();
  return headers.find(([each]) => each.toLowerCase() === name)?.[1] ?? '';
}

/** The digest of the inventory of another sandlot; undefined if it does not show one. */
export async function digestAt(client: ControlClient): Promise<string | undefined> {
  try {
    const found: unknown = await client.get('/repro/inventory');
    return isObject(found) && typeof found.digest === 'string' ? found.digest : undefined;
  } catch {
    // It is not a sandlot, an older one, or needs a control token.
    return undefined;
  }
}

function recordedBody({ response }: RequestRecord): unknown {
  return response && answerOf(response).body;
}

function withWorld(target: string, world: string | undefined): string {
  const [path = '', query = ''] = splitOnce(target);
  const params = new URLSearchParams(query.replaceAll('+', '%2B'));
  params.delete('world');
  if (world !== undefined) params.set('world', world);
  const text = params.toString().replaceAll('+', '%20');
  return text === '' ? path : `${path}?${text}`;
}

function splitOnce(target: string): [path: string, query: string | undefined] {
  const at = target.indexOf('?');
  return at < 0 ? [target, undefined] : [target.slice(0, at), target.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', '%20'));
  } catch {
    return text;
  }
}
