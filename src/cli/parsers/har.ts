import { z } from 'zod';
import { WRONG_TYPE } from '../../kernel/wrong-type.ts';
import { SIGNING_HEADERS } from '../../signing/signature.ts';
import { type CurlRequest, splitUrl } from './curl.ts';

export interface HarRequest extends CurlRequest {
  /** Number of its entry, from 1. */
  entry: number;
  /** Why its body may differ from what was sent, if so. */
  doubt: string | undefined;
}

/** The text is not a HAR file, or has an invalid entry. */
export class HarSyntaxError extends Error {
  override readonly name = 'HarSyntaxError';
}

const fileSchema = z.object({ log: z.object({ entries: z.array(z.unknown()) }) });

/** The fields of HAR 1.2 that every tool writes. */
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
 * Reads the signed requests of a HAR file, or one entry, signed or not.
 * @param entry number from 1
 * @throws HarSyntaxError
 */
export function parseHar(text: string, entry?: number): HarRequest[] {
  const entries = entriesOf(text);
  if (entry !== undefined) {
    if (entry > entries.length) {
      throw new HarSyntaxError(`entry ${entry} does not exist; the file has ${entries.length}`);
    }
    return [requestOf(entries[entry - 1], entry)];
  }
  const signedRequests = entries.flatMap((entry, index) =>
    isSigned(entry) ? [requestOf(entry, index + 1)] : [],
  );
  if (signedRequests.length > 0) return signedRequests;
  throw new HarSyntaxError(
    `none of its ${entries.length} entries has a signing header; was it exported without headers?`,
  );
}

function entriesOf(text: string): unknown[] {
  let document: unknown;
  try {
    document = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new HarSyntaxError(`it is not JSON: ${(error as Error).message}`);
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
  const result = z.object({ request: requestSchema }).safeParse(raw, WRONG_TYPE);
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new HarSyntaxError(`entry ${entry}: ${issue?.path.join('.')}: ${issue?.message}`);
  }
  const { method, url, headers, postData, bodySize } = result.data.request;
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

/** Reports a body that is missing, truncated or decoded in the file. */
function doubtOf(text: string, length: number, sentLength: number): string | undefined {
  if (text.includes('\ufffd'))
    return 'Its body is not UTF-8, and the file does not have its bytes.';
  // -1: unknown.
  if (sentLength < 0 || sentLength === length) return undefined;
  return length === 0
    ? `Its body of ${sentLength} bytes is missing in the file.`
    : `Its body has ${length} bytes in the file, but ${sentLength} were sent.`;
}
