import { bytesOf } from '../format.ts';
import { parsedJson } from '../limits.ts';
import type { ResponseRecord } from '../recording/recording.ts';

/** A response as it is compared. */
export interface Answer {
  /** `closed` if the connection was closed without a response. */
  status: number | 'closed';
  type?: string | undefined;
  retryAfter?: string | undefined;
  /** Undefined if it is not JSON. */
  body?: unknown;
  /** Whether the file has only the length of the body. */
  isLong?: boolean;
}

export function answerOf(response: ResponseRecord): Answer {
  if ('closed' in response) return { status: 'closed' };
  const { status, headers, body } = response;
  const header = (name: string) => headers.find(([each]) => each.toLowerCase() === name)?.[1];
  return {
    status,
    type: header('content-type'),
    retryAfter: header('retry-after'),
    ...('bytes' in body ? { isLong: true } : { body: parsedJson(bytesOf(body).toString()) }),
  };
}

export function errorOf(body: unknown): Record<string, unknown> | undefined {
  return isObject(body) && isObject(body.error) ? body.error : undefined;
}

export function isAccepted({ status }: Answer): boolean {
  return status !== 'closed' && status < 400;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
