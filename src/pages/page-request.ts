import type { Context } from 'hono';
import { isFromOtherOrigin, parseForm, rawRequest } from '../http/request.ts';
import { CodedError, forbidden } from '../kernel/errors.ts';
import type { LogEntryBuilder } from '../requests/entry-builder.ts';
import type { Tx } from '../store/transaction.ts';
import { type Page, pageResponse, type Redirect } from './layout.tsx';

/**
 * Reads the form of a request.
 * @param publicUrl origin under which a proxy serves these pages
 * @throws forbidden for a form of another origin; validation_error for a body that is not a form or is too large
 */
export async function readForm(c: Context, publicUrl: string | undefined) {
  const request = rawRequest(c);
  // Pages of other origins may not submit forms for the buyer.
  if (isFromOtherOrigin(c, publicUrl)) {
    throw forbidden(
      'Origin: the form comes from another origin. If sandlot runs behind a proxy, start it with --public-url.',
    );
  }
  const type = request.header('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
    const message = 'Content-Type: must be application/x-www-form-urlencoded';
    throw new CodedError('validation_error', message, { status: 415 });
  }
  const body = await logEntryOf(c).readBody(request.body());
  return parseForm(body.toString());
}

/** Key of the Hono context under which `logPageViews` puts the log entry of a page view; other requests have none. */
export const PAGE_ENTRY = 'page-entry';

function logEntryOf(c: Context): LogEntryBuilder {
  return c.get(PAGE_ENTRY) as LogEntryBuilder;
}

/**
 * Runs `act` in one transaction of the world that the URL names, and responds. The components of the page render
 * later, so they cannot use `tx`.
 * @param brokenLink the page if `act` returns undefined, for a URL that was not issued in that world
 */
export async function respondInWorld(
  c: Context,
  act: (tx: Tx) => Page | Redirect | undefined,
  brokenLink: Page,
): Promise<Response> {
  const entry = logEntryOf(c);
  return pageResponse(c, entry.world.transaction(act, entry) ?? brokenLink);
}
