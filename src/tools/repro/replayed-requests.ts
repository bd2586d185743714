import type { RawRequest } from '../../http/node-request.ts';
import { CodedError, type ErrorCode } from '../../kernel/errors.ts';
import { systemRuntime } from '../../kernel/runtime.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { splitTarget } from '../../signing/canonical.ts';
import { isBodyIgnored } from '../../signing/signature.ts';
import type { Sender, SendRequest, SendResult } from '../../webhooks/send.ts';
import { type Cause, type RequestCause, UNRECORDED } from '../../world/acts.ts';
import {
  type ActRecord,
  bytesOf,
  type RecordedRejection,
  type RequestRecord,
  type SendRecord,
} from './format.ts';

/** How long a request may take until its next act or its response. It may load code, or use a thread. */
const MAX_WAIT_MS = 10_000;

const BLOCKED: SendResult = { outcome: 'blocked', httpStatus: null, durationMs: 0, response: null };

/** A request that runs its own code and waits in `world.act` for the turn of its next act. */
export interface RequestRun {
  request: RequestRecord;
  /** Acts that have not begun. */
  remainingActs: ActRecord[];
  /** Number of webhooks that it has sent. */
  sentWebhooks: number;
  /** Starts the next act; undefined while none waits. */
  startNextAct: (() => void) | undefined;
  rejectWait: ((error: Error) => void) | undefined;
  isFinished: boolean;
  /** Called when the request waits for its turn, or is finished. */
  onChange: () => void;
}

interface ReplayedRequestsOptions {
  /** Handles the requests. */
  sandbox(): Sandbox;
  /** Address for requests whose Host is not recorded. */
  baseUrl: string;
  /** Called if a request has more acts than recorded. */
  onExtraAct(request: RequestRecord): void;
  maxWaitMs: number | undefined;
}

/** Runs the requests of a replay, and decides when their acts begin. */
export class ReplayedRequests {
  readonly #options: ReplayedRequestsOptions;
  readonly #runs = new Map<RequestRecord, RequestRun>();
  /** The request that was started last, until its cause is known. */
  #startingRun: RequestRun | undefined;

  constructor(options: ReplayedRequestsOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#runs.size === 0;
  }

  find(request: RequestRecord | undefined): RequestRun | undefined {
    return request && this.#runs.get(request);
  }

  start(request: RequestRecord, acts: ActRecord[]): RequestRun {
    const run: RequestRun = {
      request,
      remainingActs: acts,
      sentWebhooks: 0,
      startNextAct: undefined,
      rejectWait: undefined,
      isFinished: false,
      onChange: () => {},
    };
    this.#runs.set(request, run);
    this.#startingRun = run;
    const finish = () => {
      run.isFinished = true;
      this.#runs.delete(request);
      run.onChange();
    };
    this.#handle(request).then(finish, finish);
    return run;
  }

  async #handle(request: RequestRecord): Promise<void> {
    const sandbox = this.#options.sandbox();
    if (request.api === 'partner') {
      await sandbox.partner.respond(rawRequestOf(request));
      return;
    }
    const app = await sandbox.app();
    const response = await app.fetch(fetchRequestOf(request, this.#options.baseUrl));
    // The follower gets the response; an unread stream would keep its memory.
    await response.body?.cancel();
  }

  waitUntilFinished(run: RequestRun): Promise<void> {
    return this.#waitUntil(run, () => run.isFinished);
  }

  /** Waits until a condition holds, but not longer than `maxWaitMs`. */
  async #waitUntil(run: RequestRun, hasHappened: () => boolean): Promise<void> {
    if (hasHappened()) return;
    await new Promise<void>((resolve) => {
      const cancel = systemRuntime.after(this.#options.maxWaitMs ?? MAX_WAIT_MS, resolve);
      run.onChange = () => {
        if (!hasHappened()) return;
        cancel();
        resolve();
      };
    });
    run.onChange = () => {};
  }

  /** Waits until a request is finished, or waits for the turn of its next act. */
  waitForNextAct(run: RequestRun): Promise<void> {
    return this.#waitUntil(run, () => run.isFinished || run.startNextAct !== undefined);
  }

  remove(run: RequestRun): void {
    this.#runs.delete(run.request);
  }

  /** Returns the run of a cause. */
  runOf(cause: RequestCause): RequestRun | undefined {
    if (!cause.followed) {
      cause.followed = this.#startingRun;
      this.#startingRun = undefined;
    }
    return cause.followed as RequestRun | undefined;
  }

  /** Resolves when it is the turn of the next act of a request. */
  turn(cause: Cause): Promise<void> | undefined {
    if (cause === UNRECORDED || !('acts' in cause)) return undefined;
    const run = this.runOf(cause);
    const isOver = run?.remainingActs.length === 0 && run.request.response !== undefined;
    if (!run || isOver) {
      if (run) this.#options.onExtraAct(run.request);
      return Promise.reject(new Error('a request acts more often than it did'));
    }
    return new Promise((resolve, reject) => {
      run.rejectWait = reject;
      run.startNextAct = () => {
        run.startNextAct = undefined;
        run.rejectWait = undefined;
        resolve();
      };
      run.onChange();
    });
  }

  /** Ends the requests that wait for their turn. */
  rejectAll(): void {
    for (const { rejectWait } of this.#runs.values())
      rejectWait?.(new Error('the replay has ended'));
  }

  /** Sends nothing. Returns the result that is recorded with the next act of the request. */
  readonly sender: Sender = {
    send: ({ by }: SendRequest) => {
      const run = typeof by === 'object' && 'acts' in by ? this.runOf(by) : undefined;
      const send = run?.remainingActs[0]?.given?.[run.sentWebhooks];
      if (run) run.sentWebhooks += 1;
      return Promise.resolve(send ? sendResult(send) : BLOCKED);
    },
    close: () => {},
  };
}

export function sendResult(record: SendRecord): SendResult {
  const { outcome, http_status, duration_ms, response } = record;
  return { outcome, httpStatus: http_status, durationMs: duration_ms, response };
}

/** Of these headers, Node.js keeps the first if there are several; it joins the values of others. */
const SINGLE = new Set(['authorization', 'content-length', 'content-type', 'host', 'user-agent']);

/** Converts a recorded request to one for the partner API. */
function rawRequestOf(request: RequestRecord): RawRequest {
  const { method, target, headers, body_result, signature_result } = request;
  const body = bytesOf(request.body);
  const byName = headersOf(request);
  const read = async () => {
    if (body_result) throw rejectionOf(body_result);
    return body;
  };
  return {
    method,
    ...splitTarget(target),
    headers: headers.flat(),
    header: (name) => byName.get(name) || undefined,
    body: read,
    async *chunks() {
      yield await read();
    },
    verified: () =>
      signature_result === null || signature_result === 'passed'
        ? undefined
        : rejectionOf(signature_result),
  };
}

/**
 * Converts a recorded request to one for Hono. A `Request` would normalize its target.
 * @param baseUrl address for requests whose Host is not recorded
 */
function fetchRequestOf(request: RequestRecord, baseUrl: string): Request {
  const { method, target, body, body_result } = request;
  const headers = headersOf(request);
  const host = headers.get('host');
  const origin = host === undefined ? baseUrl : `http://${host}`;
  // Origin is compared with the Host. A browser also sends Sec-Fetch-Site.
  if (host === undefined) headers.delete('origin');
  // A redacted signature is not a valid header, and only the partner API reads it.
  headers.delete('x-service-signature');
  const controller = new AbortController();
  const replayedRequest = {
    method,
    url: origin + target,
    headers: new Headers([...headers]),
    signal: controller.signal,
    body: isBodyIgnored(method) ? null : chunksOf(bytesOf(body), body_result),
  };
  return replayedRequest as unknown as Request;
}

async function* chunksOf(
  body: Buffer,
  rejection: RecordedRejection | null,
): AsyncGenerator<Uint8Array> {
  if (rejection) throw rejectionOf(rejection);
  if (body.length > 0) yield body;
}

function headersOf({ headers }: RequestRecord): Map<string, string> {
  const byName = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = byName.get(key);
    if (before === undefined) byName.set(key, value);
    else if (!SINGLE.has(key))
      byName.set(key, `${before}${key === 'cookie' ? '; ' : ', '}${value}`);
  }
  return byName;
}

function rejectionOf({ code, message, status }: RecordedRejection): CodedError {
  return new CodedError(code as ErrorCode, message, { status });
}
