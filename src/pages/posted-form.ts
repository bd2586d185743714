import type { Context } from 'hono';
import { rawRequest } from '../http/hono-adapter.ts';
import { isFromOtherOrigin } from '../http/own-origin.ts';
import { CodedError, forbidden } from '../kernel/errors.ts';

/** Where the request log finds what was posted. */
export const POSTED = 'posted';

/**
 * What a form of these pages sent.
 * @param publicUrl origin under which a proxy serves these pages
 * @throws forbidden when a page of another origin sent it; validation_error when it is no plain form (415) or
 * too large (413)
 */
export async function postedForm(
  c: Context,
  publicUrl: string | undefined,
): Promise<URLSearchParams> {
  const request = rawRequest(c);
  // No cookie gives authority here, but no stranger's page shall press the buttons either.
  if (isFromOtherOrigin(c, publicUrl)) {
    throw forbidden(
      'This form was sent by a page of another origin. Nothing was done. Behind a proxy, sandlot needs --public-url.',
    );
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
