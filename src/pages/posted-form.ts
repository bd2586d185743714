import type { Context } from 'hono';
import { rawRequest } from '../http/over-hono.ts';
import { CodedError, forbidden } from '../kernel/errors.ts';

/** Where the request log finds what was posted. */
export const POSTED = 'posted';

/**
 * What a form of these pages sent.
 * @throws forbidden when a page of another site sent it; validation_error when it is no plain form (415) or
 * too large (413)
 */
export async function postedForm(c: Context): Promise<URLSearchParams> {
  const request = rawRequest(c);
  // No cookie gives authority here, but no stranger's page shall press the buttons either.
  if (request.header('sec-fetch-site') === 'cross-site') {
    throw forbidden('This form was sent by a page of another site. Nothing was done.');
  }
  const type = request.header('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
    throw new CodedError(
      'validation_error',
      'Forms are sent as application/x-www-form-urlencoded.',
      {
        status: 415,
      },
    );
  }
  const body = await request.body();
  c.set(POSTED, body);
  return new URLSearchParams(body.toString());
}
