import { expect } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { got } from './calls.ts';
import { PAYING, sentTo, submit } from './checkout.ts';
import type { Link } from './money.ts';

/** A link as it stands now. */
export async function linkNow(at: InProcessSandbox, { link_id }: Link, key?: Key) {
  const { links } = await got<{ links: Link[] }>(at, '/links?limit=100', key);
  return links.find((link) => link.link_id === link_id);
}

/** Follows a link as a browser does that has never been here. */
export async function click(at: InProcessSandbox, link: Link) {
  const response = await at.fetch(link.url);
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  return { response, landingPage: sentTo(response), cookie: { Cookie: cookies.join('; ') } };
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
