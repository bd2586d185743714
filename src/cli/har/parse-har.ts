import { z } from 'zod';
import { SIGNING_HEADERS } from '../../signing/signature.ts';
import type { CurlRequest } from '../curl/parse-curl.ts';
import { splitUrl } from '../split-url.ts';

/** A request of a HAR file that carries headers of a signature. */
export interface HarRequest extends CurlRequest {
  /** Which entry it is, counted from 1. */
  entry: number;
  /** Why its body may not be what was sent; undefined where nothing speaks against it. */
  doubt: string | undefined;
}

/** The text is no HAR file, or an entry of it is none. */
export class HarSyntaxError extends Error {
  override readonly name = 'HarSyntaxError';
}

const fileSchema = z.object({ log: z.object({ entries: z.array(z.unknown()) }) });

/** What every tool writes, of HAR 1.2; the rest is not looked at. */
const requestSchema = z.object({
  method: z.string().min(1),
  url: z.string().min(1),
  headers: z.array(z.object({ name: z.string(), value: z.string() })),
  bodySize: z.number().nullish(),
  postData: z.object({ text: z.string().nullish(), encoding: z.string().nullish() }).nullish(),
});

const headersSchema = z.object({
  request: z.object({ headers: z.array(z.looseObject({ name: z.string() })) }),
});

const SIGNING = Object.values(SIGNING_HEADERS).map((name) => name.toLowerCase());

/**
 * The signed requests of a HAR file, or the one that is asked for, signed or not.
 * @param entry counted from 1
 * @throws HarSyntaxError
 */
export function parseHar(text: string, entry?: number): HarRequest[] {
  const entries = entriesOf(text);
  if (entry !== undefined) {
    if (entry > entries.length) {
      throw new HarSyntaxError(`there is no entry ${entry}, the file has ${entries.length}`);
    }
    return [requestOf(entries[entry - 1], entry)];
  }
  const signed = entries.flatMap((each, index) =>
    isSigned(each) ? [requestOf(each, index + 1)] : [],
  );
  if (signed.length > 0) return signed;
  throw new HarSyntaxError(
    `none of its ${entries.length} entries has a header of a signature; was it exported without headers?`,
  );
}

function entriesOf(text: string): unknown[] {
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new HarSyntaxError(`it is no JSON: ${(error as Error).message}`);
  }
  const file = fileSchema.safeParse(document);
  if (!file.success) throw new HarSyntaxError('expected an object with log.entries');
  return file.data.log.entries;
}

function isSigned(entry: unknown): boolean {
  const { data } = headersSchema.safeParse(entry);
  return data?.request.headers.some(({ name }) => SIGNING.includes(name.toLowerCase())) ?? false;
}

function requestOf(raw: unknown, entry: number): HarRequest {
  const parsed = z.object({ request: requestSchema }).safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new HarSyntaxError(`entry ${entry}: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { method, url, headers, postData, bodySize } = parsed.data.request;
  const text = postData?.text ?? '';
  const body = Buffer.from(text, postData?.encoding === 'base64' ? 'base64' : 'utf8');
  return {
    entry,
    method,
    ...splitUrl(url),
    headers: new Map(headers.map(({ name, value }) => [name.toLowerCase(), value])),
    body,
    doubt: doubtOf(text, body.length, bodySize ?? -1),
  };
}

/** A body that was left out, cut or decoded on its way into the file. */
function doubtOf(text: string, length: number, sent: number): string | undefined {
  if (text.includes('\ufffd'))
    return 'Its body was no UTF-8, and the file does not hold its bytes.';
  // -1 stands for a size that is not known.
  if (sent < 0 || sent === length) return undefined;
  return length === 0
    ? `Its body of ${sent} bytes is not in the file.`
    : `Its body has ${length} bytes in the file, of ${sent} that were sent.`;
}
