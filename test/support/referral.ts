import { expect } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { cookieOf, PAYING, sentTo, submit } from './checkout.ts';
import type { Link } from './money.ts';

/** Follows a link as a browser does that has never been here. */
export async function click(at: InProcessSandbox, link: Link) {
  const response = await at.fetch(link.url);
  return { response, landingPage: sentTo(response), cookie: cookieOf(response) };
}

/** Buys from a landing page and pays, with a cookie. */
export async function buy(
  at: InProcessSandbox,
  landingPage: string,
  domain: string,
  cookie: { Cookie: string } | undefined,
): Promise<Response> {
  const started = await submit(at, `${landingPage}/buy`, { domain }, cookie);
  expect(started.status).toBe(303);
  return submit(at, sentTo(started), PAYING, cookie);
}
