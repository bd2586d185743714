import { KEPT_BODY_BYTES, keepBody } from '../../requests/keep-body.ts';
import { redactHeaders, redactText } from '../../requests/redact.ts';
import type { Unwritten } from '../../requests/request-log.ts';
import type { HeaderList, NewRequestRow } from '../../requests/schema.ts';
import { Trace } from '../../requests/trace.ts';
import type { Diagnosis } from '../../signing/diagnosis.ts';
import { sha256Hex } from '../../signing/hash.ts';
import type { Credential } from '../../store/schema/partners.ts';
import type { Deed } from '../../store/transaction.ts';
import type { World } from '../../world/world.ts';
import type { Endpoint } from '../endpoint.ts';
import type { RawRequest } from '../raw-request.ts';
import { headersOf, type Reply } from '../reply.ts';
import { warningsAbout } from './warnings.ts';

const NO_BODY = Buffer.alloc(0);

/**
 * One request on its way through a door: what came, how it was decided, what was answered. Made into a row of
 * the request log after the answer, when nobody waits for it.
 */
export class Visit implements Unwritten {
  readonly trace = new Trace();
  readonly #door: NewRequestRow['door'];
  readonly #method: string;
  readonly #target: string;
  readonly #headers: RawRequest['headers'];
  readonly #receivedAt: number;
  readonly #begun: number;
  #world: World;
  #credential: Credential | undefined;
  #keyId: string | undefined;
  #endpoint: Endpoint | undefined;
  #body: Buffer = NO_BODY;
  #bodyBytes = 0;
  #bodySha256: string | null = null;
  #signedString: string | null = null;
  #status: number | null = null;
  #code: string | null = null;
  #answer: string | null = null;
  #answerHeaders: HeaderList = [];
  #durationUs = 0;
  #at = 0;

  /**
   * @param home the world to whose log it belongs as long as it has entered no other
   * @param now real time, Unix ms
   * @param monotonic ms, for its duration
   */
  constructor(
    door: NewRequestRow['door'],
    request: RawRequest,
    home: World,
    now: number,
    monotonic: number,
  ) {
    this.#door = door;
    this.#method = request.method;
    this.#target = request.query === '' ? request.path : `${request.path}?${request.query}`;
    this.#headers = request.headers;
    this.#keyId = request.header('x-service-key-id');
    this.#receivedAt = now;
    this.#begun = monotonic;
    this.#world = home;
  }

  get world(): World {
    return this.#world;
  }

  /** Roughly what it holds in memory. */
  get bytes(): number {
    return this.#body.length + (this.#answer?.length ?? 0) + 1_000;
  }

  read(body: Buffer): void {
    this.#bodyBytes = body.length;
    if (body.length <= KEPT_BODY_BYTES) {
      this.#body = body;
      return;
    }
    this.#bodySha256 = sha256Hex(body);
    this.#body = Buffer.from(body.subarray(0, KEPT_BODY_BYTES));
  }

  enter(world: World, credential: Credential): void {
    this.#world = world;
    this.#credential = credential;
  }

  routed(endpoint: Endpoint): void {
    this.#endpoint = endpoint;
    this.trace.note({ endpoint: endpoint.path });
  }

  diagnosed(diagnosis: Diagnosis | undefined): void {
    if (!diagnosis) return;
    const { mistake, also, summary, fix, clientCanonical } = diagnosis;
    this.trace.note({ mistake, also, summary, fix });
    this.#signedString = clientCanonical ?? null;
  }

  did(deeds: readonly Deed[]): void {
    for (const { what, detail } of deeds) this.trace.done(what, detail);
  }

  /** Ends it. @param monotonic ms */
  answered(reply: Reply, monotonic: number): void {
    this.#durationUs = Math.round((monotonic - this.#begun) * 1_000);
    this.#at = this.#world.clock.now();
    if (reply.lost) return;
    this.#status = reply.status;
    this.#answer = reply.body;
    this.#answerHeaders = Object.entries(headersOf(reply));
    this.#code = reply.code ?? null;
  }

  /** As `answered`, with a page; what stood on it is not kept. */
  shown(page: Response, monotonic: number): void {
    this.answered({ status: page.status, body: '' }, monotonic);
    this.#answerHeaders = [...page.headers];
  }

  row(): NewRequestRow {
    const secrets = this.#credential ? [this.#credential.secret] : [];
    const answer = Buffer.from(this.#answer ?? '');
    const { text: body, ...aboutBody } = keepBody(this.#body, this.#bodyBytes, secrets);
    const { text: kept, ...aboutAnswer } = keepBody(
      answer.subarray(0, KEPT_BODY_BYTES),
      answer.length,
      secrets,
    );
    return {
      door: this.#door,
      at: this.#at,
      receivedAt: this.#receivedAt,
      durationUs: this.#durationUs,
      keyId: this.#keyId ?? null,
      partnerId: this.#credential?.partnerId ?? null,
      environment: this.#credential?.environment ?? null,
      method: this.#method,
      target: redactText(this.#target, secrets),
      endpoint: this.#endpoint?.path ?? null,
      status: this.#status,
      code: this.#code,
      body,
      answer: kept,
      detail: {
        headers: redactHeaders(listed(this.#headers), secrets),
        bodySha256: this.#bodySha256 ?? (this.#bodyBytes > 0 ? sha256Hex(this.#body) : null),
        body: aboutBody,
        answerHeaders: redactHeaders(this.#answerHeaders, secrets),
        answer: aboutAnswer,
        trace: this.trace.steps,
        warnings: this.#endpoint ? warningsAbout(this.#endpoint, this.#target, this.#body) : [],
        signedString: this.#signedString,
      },
    };
  }
}

/** Names and values in pairs. */
function listed(headers: RawRequest['headers']): HeaderList {
  if (headers instanceof Headers) return [...headers];
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < headers.length; at += 2) {
    pairs.push([headers[at] ?? '', headers[at + 1] ?? '']);
  }
  return pairs;
}
