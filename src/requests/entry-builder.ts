import { isUtf8 } from 'node:buffer';
import { CodedError } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Diagnosis } from '../signing/diagnosis.ts';
import { sha256Hex } from '../signing/signature.ts';
import type { Credential } from '../store/schema/partners.ts';
import type { Change } from '../store/transaction.ts';
import type { RequestRun, RunningRequest } from '../world/run.ts';
import type { World } from '../world/world.ts';
import type { RawEntry } from './log-entry.ts';
import type { Api, HeaderList } from './message.ts';
import { BODY_MARGIN, beginningOf, MAX_BODY, MAX_UNSIGNED_BODY } from './redact-entry.ts';
import { Trace } from './trace.ts';

/** The parts of a request that the log keeps. */
interface RequestParts {
  method: string;
  path: string;
  query: string;
  /** Names and values in turn. */
  headers: readonly string[];
  header(name: string): string | undefined;
  receivedAt?: number;
}

/** The parts of a response that the log keeps. */
export interface ResponseParts {
  status: number;
  headers: HeaderList;
  body: string;
  code?: string | undefined;
}

/** Limit of the logged changes: a settlement run can make thousands. */
const MAX_CHANGES = 100;

/** Collects the log entry of a request while the request is handled. */
export class LogEntryBuilder implements RunningRequest {
  readonly runs: RequestRun[] = [];
  readonly trace = new Trace();
  /** The world whose log gets the entry. */
  world: World;
  credential: Credential | undefined;
  /** Declared path of the endpoint. */
  endpoint: string | undefined;
  readonly #api: Api;
  readonly #request: RequestParts;
  readonly #runtime: Runtime;
  /** Real time, Unix ms. */
  readonly receivedAt: number;
  readonly #startedMs: number;
  #body: Buffer = Buffer.alloc(0);
  #bodyBytes = 0;
  #bodyRejection: RawEntry['bodyRejection'] = null;
  #signedString: string | null = null;

  /** @param world gets the entry unless the request turns out to belong to another world */
  constructor(api: Api, request: RequestParts, world: World, runtime: Runtime) {
    this.#api = api;
    this.#request = request;
    this.world = world;
    this.#runtime = runtime;
    this.receivedAt = request.receivedAt ?? runtime.now();
    this.#startedMs = runtime.monotonic();
  }

  /** @param bytes its size, if `body` is only the beginning */
  setBody(body: Buffer, bytes = body.length): void {
    this.#body = body;
    this.#bodyBytes = bytes;
  }

  /** Keeps the body that is read, or why it was not. */
  async readBody(reading: Promise<Buffer>): Promise<Buffer> {
    try {
      this.setBody(await reading);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      const { code, message, status } = error;
      this.#bodyRejection = { code, message, status };
      throw error;
    }
    return this.#body;
  }

  addDiagnosis({ mistake, also, summary, fix, clientCanonical }: Diagnosis): void {
    this.trace.note({ mistake, also, summary, fix });
    this.#signedString = clientCanonical ?? null;
  }

  addChanges(changes: readonly Change[]): void {
    const { trace } = this;
    for (const { what, detail } of changes.slice(0, MAX_CHANGES)) trace.addChange(what, detail);
  }

  /** @param response undefined if the connection was closed instead */
  toEntry(response: ResponseParts | undefined): RawEntry {
    const { method, path, query, headers } = this.#request;
    // Less of what anyone can send: a partner request without a valid signature, or the form of a hosted page.
    const isSigned = this.credential !== undefined && this.trace.failed !== 'signature';
    const maxBody = isSigned || this.#api === 'control' ? MAX_BODY : MAX_UNSIGNED_BODY;
    const body = beginningOf(this.#body, maxBody + BODY_MARGIN);
    const isTruncated = body.length < this.#bodyBytes;
    const encoding = isUtf8(body) ? 'utf8' : 'base64';
    return {
      api: this.#api,
      at: this.runs.at(-1)?.now ?? this.world.clock.now(),
      receivedAt: this.receivedAt,
      durationUs: Math.round((this.#runtime.monotonic() - this.#startedMs) * 1_000),
      keyId: this.#request.header('x-service-key-id') ?? null,
      partnerId: this.credential?.partnerId ?? null,
      method,
      target: query === '' ? path : `${path}?${query}`,
      endpoint: this.endpoint ?? null,
      status: response?.status ?? null,
      code: response?.code ?? null,
      request: {
        headers: pairsOf(headers),
        body: body.toString(encoding) || null,
        bytes: this.#bodyBytes,
        encoding,
        altered: isTruncated ? 'truncated' : null,
      },
      response: {
        headers: response?.headers ?? [],
        body: response?.body || null,
        bytes: Buffer.byteLength(response?.body ?? ''),
        encoding: 'utf8',
        altered: null,
      },
      maxBody,
      bodyRejection: this.#bodyRejection,
      startedMs: this.#startedMs,
      environment: this.credential?.environment ?? null,
      bodySha256: isTruncated ? sha256Hex(this.#body) : null,
      signedString: this.#signedString,
      runs: this.runs,
      steps: this.trace.steps,
    };
  }
}

/** Pairs names and values, which Node.js has in turn. */
function pairsOf(flat: readonly string[]): HeaderList {
  const pairs: [name: string, value: string][] = [];
  for (let at = 0; at + 1 < flat.length; at += 2) pairs.push([flat[at] ?? '', flat[at + 1] ?? '']);
  return pairs;
}

/** Keeps the beginning of a streamed body, and its size. */
export class StreamedBody {
  bytes = 0;
  readonly #parts: Uint8Array[] = [];

  /** Passes the chunks on. */
  async *watch(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      const missing = MAX_BODY + BODY_MARGIN - this.bytes;
      if (missing > 0) this.#parts.push(chunk.slice(0, missing));
      this.bytes += chunk.length;
      yield chunk;
    }
  }

  get beginning(): Buffer {
    return Buffer.concat(this.#parts);
  }
}
