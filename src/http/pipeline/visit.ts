import { isUtf8 } from 'node:buffer';
import { beginningOf } from '../../requests/keep-body.ts';
import type { HeaderList, RequestRow } from '../../requests/schema.ts';
import { Trace } from '../../requests/trace.ts';
import { shortened, type VisitReport } from '../../requests/visit-report.ts';
import type { DiagnosisResult } from '../../signing/diagnosis.ts';
import { sha256Hex } from '../../signing/hash.ts';
import type { Credential } from '../../store/schema/partners.ts';
import type { Change } from '../../store/transaction.ts';
import type { World } from '../../world/world.ts';
import type { Endpoint } from '../endpoint.ts';
import type { RawRequest } from '../raw-request.ts';
import { headersOf, type Reply } from '../reply.ts';

const NO_BODY = Buffer.alloc(0);

/**
 * One request on its way through an API: what came, how it was decided, what was answered. Reported
 * to the request log when it has been decided.
 */
export class Visit {
  readonly trace = new Trace();
  readonly #api: RequestRow['api'];
  readonly #method: string;
  readonly #target: string;
  readonly #headers: RawRequest['headers'];
  readonly #receivedAt: number;
  readonly #begun: number;
  #world: World;
  #credential: Credential | undefined;
  #keyId: string | undefined;
  #endpoint: Pick<Endpoint, 'path'> | undefined;
  #body: Buffer = NO_BODY;
  #bodyBytes = 0;
  #bodySha256: string | null = null;
  #signedString: string | null = null;
  #status: number | null = null;
  #code: string | null = null;
  #answer = '';
  #answerHeaders: HeaderList = [];
  #durationUs = 0;
  #at = 0;

  /**
   * @param home the world to whose log it belongs as long as it has entered no other
   * @param now real time, Unix ms
   * @param monotonic ms, for its duration
   */
  constructor(
    api: RequestRow['api'],
    request: RawRequest,
    home: World,
    now: number,
    monotonic: number,
  ) {
    this.#api = api;
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

  read(body: Buffer): void {
    this.#bodyBytes = body.length;
    this.#body = beginningOf(body);
    if (this.#body.length < body.length) this.#bodySha256 = sha256Hex(body);
  }

  /** As `read`, of a body that was not kept whole. */
  readPart({
    beginning,
    bytes,
    sha256,
  }: {
    beginning: Buffer;
    bytes: number;
    sha256: string;
  }): void {
    this.#bodyBytes = bytes;
    this.#body = beginning;
    this.#bodySha256 = bytes === 0 ? null : sha256;
  }

  enter(world: World, credential: Credential): void {
    this.#world = world;
    this.#credential = credential;
  }

  /** Puts it into the log of another world. */
  moveTo(world: World): void {
    this.#world = world;
  }

  routed(endpoint: Pick<Endpoint, 'path'>): void {
    this.#endpoint = endpoint;
  }

  diagnosed({ diagnosis, untried }: DiagnosisResult): void {
    if (untried.length > 0) this.trace.note({ untried });
    if (!diagnosis) return;
    const { mistake, also, summary, fix, clientCanonical } = diagnosis;
    this.trace.note({ mistake, also, summary, fix });
    this.#signedString = clientCanonical ?? null;
  }

  did(changes: readonly Change[]): void {
    for (const { what, detail } of changes) this.trace.done(what, detail);
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

  /** All of it, as it is kept until its row is written. */
  report(): string {
    const body = this.#body;
    const encoding = isUtf8(body) ? 'utf8' : 'base64';
    const report: VisitReport = {
      api: this.#api,
      at: this.#at,
      receivedAt: this.#receivedAt,
      durationUs: this.#durationUs,
      keyId: this.#keyId ?? null,
      partnerId: this.#credential?.partnerId ?? null,
      environment: this.#credential?.environment ?? null,
      method: this.#method,
      target: this.#target,
      endpoint: this.#endpoint?.path ?? null,
      status: this.#status,
      code: this.#code,
      headers: Array.isArray(this.#headers) ? this.#headers : [...this.#headers],
      body: {
        text: body.toString(encoding),
        encoding,
        bytes: this.#bodyBytes,
        altered: this.#bodyBytes > body.length ? 'cut' : null,
      },
      bodySha256: this.#bodySha256,
      answer: this.#answer,
      answerHeaders: this.#answerHeaders,
      steps: shortened(this.trace.steps),
      signedString: this.#signedString,
    };
    return JSON.stringify(report);
  }
}
