import { isAscii } from 'node:buffer';
import {
  clientOf,
  isAccepted,
  type LogEntryActivity,
  type RequestActivity,
  text,
} from '../../coverage/activity.ts';
import { isFromSandlot } from '../../coverage/coverage.ts';
import type { WorldCoverage } from '../../coverage/world-coverage.ts';
import { CodedError, type ErrorCode } from '../../kernel/errors.ts';
import { SECOND } from '../../kernel/time.ts';
import type { NumberedEntry } from '../../requests/entry-numbers.ts';
import type { OnWritten } from '../../requests/write-queue.ts';
import type { KnownKey } from '../../world/key-index.ts';
import type { Worlds } from '../../world/worlds.ts';
import { type ApiResponse, isComplete, loggedResponse } from '../response.ts';
import type { RequestContext } from './context.ts';
import { ignoredInput } from './input-warnings.ts';

/** Shorter secrets occur in texts by accident. */
const MIN_SECRET = 16;

/** Adds a request to the request log, and observes it unless it is left out of the go-live report. */
export function logAndObserve(context: RequestContext, response: ApiResponse): void {
  const { api, entry } = context;
  const known = keyOf(context);
  // A request that fails before its key is checked belongs to the world of the key, too.
  if (known) entry.world = known.world;
  const raw = entry.finish(loggedResponse(response));
  const log = api.requests.of(entry.world);
  const observer = known && observerOf(context, known);
  if (!observer) {
    log.append(raw);
    return;
  }
  const activity = new ObservedRequest(context, response, known.credential.keyId);
  const waiting = new LoggedEntry(activity, warningsOf(context), observer, api.worlds);
  const logged = log.append(raw, waiting);
  waiting.entry = logged;
  activity.entry = logged;
  observer.observe(activity);
}

/** Returns the key that the request names, also if the check of the key was not reached. */
function keyOf(context: RequestContext): KnownKey | undefined {
  const { api, request, entry } = context;
  const { credential } = entry;
  if (credential) return { world: entry.world, credential };
  const keyId = request.header('x-service-key-id');
  return keyId === undefined ? undefined : api.worlds.keys.find(keyId);
}

function observerOf(
  { api, request }: RequestContext,
  { world, credential }: KnownKey,
): WorldCoverage | undefined {
  if (isFromSandlot(request.header('user-agent'))) return undefined;
  return api.coverage.observerOf(world, credential);
}

function warningsOf({ route, input }: Partial<RequestContext>): readonly string[] {
  return route && input ? ignoredInput(route.endpoint, input) : [];
}

function hasCredentialSecret(worlds: Worlds, secrets: readonly string[]): boolean {
  if (secrets.length === 0) return false;
  const long = new Set(secrets.filter(({ length }) => length >= MIN_SECRET));
  for (const secret of worlds.keys.secrets()) if (long.has(secret)) return true;
  return false;
}

/** Observes a log entry once it is written. Up to 10,000 wait for that: what this holds must be small. */
class LoggedEntry implements LogEntryActivity, OnWritten {
  readonly kind = 'log_entry';
  readonly at: number;
  readonly client: string;
  readonly admitted: boolean;
  readonly accepted: boolean;
  readonly warnings: readonly string[];
  hadSecret = false;
  /** Set when it is logged. */
  entry: NumberedEntry | undefined = undefined;
  readonly #observer: WorldCoverage;
  readonly #worlds: Worlds;

  constructor(
    activity: ObservedRequest,
    warnings: readonly string[],
    observer: WorldCoverage,
    worlds: Worlds,
  ) {
    this.at = activity.at;
    this.client = activity.client;
    this.admitted = activity.admitted;
    this.accepted = isAccepted(activity);
    this.warnings = warnings.length === 0 ? NO_WARNINGS : warnings;
    this.#observer = observer;
    this.#worlds = worlds;
  }

  get id(): string | null {
    return this.entry?.id ?? null;
  }

  written(secrets: readonly string[]): void {
    this.hadSecret = hasCredentialSecret(this.#worlds, secrets);
    this.#observer.observe(this);
  }
}

const NO_WARNINGS: readonly string[] = [];

class ObservedRequest implements RequestActivity {
  readonly kind = 'request';
  readonly startedAt: number;
  readonly endedAt: number;
  readonly at: number;
  readonly client: string;
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly bodySha256: string;
  readonly admitted: boolean;
  readonly status: number;
  readonly complete: boolean;
  readonly code: ErrorCode | undefined;
  readonly failedCheck: string | undefined;
  readonly injectedBy: RequestActivity['injectedBy'];
  readonly retryAfterSeconds: number | undefined;
  readonly idempotencyKey: string | undefined;
  readonly idempotency: RequestActivity['idempotency'];
  readonly timestampOffsetMs: number | undefined;
  readonly mistake: string | undefined;
  readonly recordedOrder: string | undefined;
  readonly hasNonAsciiBody: boolean;
  input: RequestActivity['input'];
  response: RequestActivity['response'];
  identity: string | undefined = undefined;
  evidence: RequestActivity['evidence'] = undefined;
  /** Set when it is logged. */
  entry: NumberedEntry | undefined = undefined;

  constructor(context: RequestContext, response: ApiResponse, keyId: string) {
    const { request, entry, trace } = context;
    const { route, signing, body, input, idempotency }: Partial<RequestContext> = context;
    const endpoint = route?.endpoint;
    const isWrite = request.method !== 'GET' && request.method !== 'HEAD';
    this.startedAt = entry.begun;
    this.endedAt = entry.finished;
    this.at = entry.endedAt;
    this.client = clientOf(keyId, request.header('user-agent'));
    this.operation = endpoint?.name;
    this.method = request.method;
    this.path = request.path;
    this.query = request.query;
    this.bodySha256 = context.bodySha256;
    this.admitted = context.isAdmitted;
    this.status = response.status;
    this.complete = isComplete(response);
    this.code = response.code;
    this.failedCheck = trace.failed;
    this.injectedBy = injectorOf(context, this);
    this.retryAfterSeconds = response.retryAfterSeconds;
    this.idempotencyKey = isWrite ? request.header('idempotency-key') : undefined;
    this.idempotency = idempotency?.outcome;
    this.timestampOffsetMs =
      signing &&
      Number(signing.timestamp) * SECOND - Math.floor(entry.receivedAt / SECOND) * SECOND;
    this.mistake = context.mistake;
    this.hasNonAsciiBody = isWrite && body !== undefined && !isAscii(body);
    this.input = isWrite && !(input?.body instanceof CodedError) ? input?.body : undefined;
    this.response = this.code === undefined ? context.responseBody : undefined;
    const isRecorded = this.idempotency === 'new' && this.status === 201;
    this.recordedOrder = isRecorded ? text(this.response?.public_id) : undefined;
  }

  get id(): string | null {
    return this.entry?.id ?? null;
  }
}

/** Returns what caused the error of a request, or closed its connection. */
function injectorOf(
  { injectedBy: { fault, magicDomain } }: RequestContext,
  { failedCheck, code, complete }: Pick<RequestActivity, 'failedCheck' | 'code' | 'complete'>,
): RequestActivity['injectedBy'] {
  const isCut = !complete && (fault?.effect.drop ?? fault?.effect.truncate) !== undefined;
  if (fault && (failedCheck === 'fault' || isCut)) return { kind: 'fault', id: fault.fault_id };
  if (magicDomain === undefined || (code === undefined && complete)) return undefined;
  return { kind: 'magic_domain', id: magicDomain };
}
