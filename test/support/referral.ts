import { expect } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { cookieOf, PAYING, sentTo, submit } from './checkout.ts';
import type { Link } from './money.ts';

/** Follows a link as a browser does that has never been here. */
export async function click(at: InProcessSandbox, link: Link) {
  const answer = await at.fetch(link.url);
  return { answer, lander: sentTo(answer), cookie: cookieOf(answer) };
}

/** Buys from a lander and pays, carrying a cookie all the way. */
export async function buy(
  at: InProcessSandbox,
  lander: string,
  domain: string,
  cookie: { Cookie: string } | undefined,
): Promise<Response> {
  const started = await submit(at, `${lander}/buy`, { domain }, cookie);
  expect(started.status).toBe(303);
  return submit(at, sentTo(started), PAYING, cookie);
}
