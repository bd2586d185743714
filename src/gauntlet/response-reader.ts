/** How far a response has come. */
export type ResponseState = 'head' | 'body' | 'complete' | 'too_large' | 'not_http';

const MAX_HEAD_BYTES = 64 * 1024;
const MAX_BODY_BYTES = 64 * 1024;
const MAX_KEPT_BYTES = 2_000;
const START = Buffer.from('HTTP/');

/** Reads one HTTP/1 response from the bytes of a connection. */
export class ResponseReader {
  state: ResponseState = 'head';
  status: number | null = null;
  /** Whether the connection can carry another request after this response. */
  keepsAlive = false;
  #bytes: Buffer = Buffer.alloc(0);
  #body: Buffer[] = [];
  #bodyBytes = 0;
  /** Bytes left of the body or the chunk; null if the body ends with the connection. */
  #left: number | null = null;
  #chunked = false;
  #inChunk = false;

  /** The beginning of the body. */
  get text(): string {
    return Buffer.concat(this.#body).toString('utf8');
  }

  /** Whether any byte has come. */
  get started(): boolean {
    return this.#bytes.length > 0 || this.status !== null;
  }

  push(bytes: Buffer): void {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    if (this.state === 'head') this.#readHead();
    if (this.state === 'body') this.#readBody();
  }

  /** The connection has ended. */
  end(): void {
    if (this.state === 'body' && this.#left === null && !this.#chunked) this.state = 'complete';
    if (this.state === 'head' && this.#bytes.length > 0 && !startsAsHttp(this.#bytes)) {
      this.state = 'not_http';
    }
  }

  #readHead(): void {
    for (;;) {
      if (!startsAsHttp(this.#bytes)) {
        this.state = 'not_http';
        return;
      }
      const text = this.#bytes.toString('latin1', 0, MAX_HEAD_BYTES);
      const end = /\r?\n\r?\n/.exec(text);
      if (!end) {
        if (this.#bytes.length >= MAX_HEAD_BYTES) this.state = 'not_http';
        return;
      }
      const [statusLine = '', ...lines] = text.slice(0, end.index).split(/\r?\n/);
      const match = /^HTTP\/(\d\.\d) (\d{3})(?: |$)/.exec(statusLine);
      if (!match) {
        this.state = 'not_http';
        return;
      }
      this.#bytes = this.#bytes.subarray(end.index + end[0].length);
      const status = Number(match[2]);
      // An informational response precedes the real one.
      if (status >= 200 || status === 101) {
        this.#begin(match[1] ?? '', status, lines);
        return;
      }
      if (this.#bytes.length === 0) return;
    }
  }

  #begin(version: string, status: number, lines: readonly string[]): void {
    const headers = new Map(lines.map(headerOf));
    this.status = status;
    this.#chunked = /\bchunked\b/i.test(headers.get('transfer-encoding') ?? '');
    const length = headers.get('content-length');
    if (status === 204 || status === 304) this.#left = 0;
    else if (!this.#chunked && /^\d+$/.test(length ?? '')) this.#left = Number(length);
    const connection = headers.get('connection') ?? '';
    this.keepsAlive =
      version === '1.1' && !/\bclose\b/i.test(connection) && (this.#chunked || this.#left !== null);
    this.state = this.#left === 0 && !this.#chunked ? 'complete' : 'body';
  }

  #readBody(): void {
    if (!this.#chunked) {
      const taken = this.#bytes.subarray(0, this.#left ?? undefined);
      this.#keep(taken);
      this.#bytes = this.#bytes.subarray(taken.length);
      if (this.#left !== null) {
        this.#left -= taken.length;
        if (this.#left === 0) this.state = 'complete';
      }
    }
    while (this.#chunked && this.state === 'body' && this.#readChunk());
    if (this.state === 'body' && this.#bodyBytes > MAX_BODY_BYTES) this.state = 'too_large';
  }

  /** @returns false if more bytes are needed */
  #readChunk(): boolean {
    if (this.#inChunk) {
      const left = this.#left ?? 0;
      const taken = this.#bytes.subarray(0, left);
      this.#keep(taken);
      this.#bytes = this.#bytes.subarray(taken.length);
      this.#left = left - taken.length;
      if (this.#left > 0) return false;
      this.#inChunk = false;
    }
    const text = this.#bytes.toString('latin1', 0, 1_000);
    const match = /^(?:\r?\n)?([0-9a-f]+)[^\n]*\n/i.exec(text);
    if (!match) {
      if (this.#bytes.length > 1_000) this.state = 'too_large';
      return false;
    }
    const size = Number.parseInt(match[1] ?? '0', 16);
    if (size === 0) {
      // Trailers, if any, end with an empty line.
      if (!/\n\r?\n/.test(text.slice(match[0].length - 1))) return false;
      this.state = 'complete';
      return false;
    }
    this.#bytes = this.#bytes.subarray(match[0].length);
    this.#left = size;
    this.#inChunk = true;
    return this.#bytes.length > 0;
  }

  #keep(bytes: Buffer): void {
    const room = MAX_KEPT_BYTES - this.#bodyBytes;
    if (room > 0) this.#body.push(Buffer.from(bytes.subarray(0, room)));
    this.#bodyBytes += bytes.length;
  }
}

function startsAsHttp(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, START.length);
  return bytes.subarray(0, length).equals(START.subarray(0, length));
}

function headerOf(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()];
}
