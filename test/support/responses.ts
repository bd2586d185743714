import { expect } from 'vitest';
import { ERROR_CODES } from './error-codes.ts';

/** A rejection as a client sees it. */
export interface Rejection {
  status: number;
  code: string;
  message: string;
  /** The Retry-After header, null when there is none. */
  retryAfter: string | null;
}

/** The rejection that a response holds, once its envelope is proven to be the specification's. */
export async function rejection(response: Response): Promise<Rejection> {
  expect(response.headers.get('content-type')).toBe('application/json');
  const text = await response.text();
  const body = JSON.parse(text) as { error: { code: string; message: string } };
  expect(Object.keys(body), text).toEqual(['error']);
  expect(Object.keys(body.error), text).toEqual(['code', 'message']);
  const { code, message } = body.error;
  expect(ERROR_CODES).toContain(code);
  expect(message).toMatch(/\S/);
  return {
    status: response.status,
    code,
    message,
    retryAfter: response.headers.get('retry-after'),
  };
}

/** The JSON of a response of this status. */
export async function answered<T>(response: Response, status: number): Promise<T> {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json');
  return JSON.parse(text) as T;
}

/** What matches a `validation_error` whose message names this field. */
export const invalid = (field: string) => ({
  status: 400,
  code: 'validation_error',
  message: expect.stringMatching(new RegExp(`^${field}: `)),
});
