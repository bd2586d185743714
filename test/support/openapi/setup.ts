import { afterEach, expect } from 'vitest';
import type { Fetch } from '../../../src/client/fetch.ts';
import { documentedFetch, takeViolations } from './watch.ts';

/** Over sockets the sandbox is reached by the global `fetch`, which is held to the documents too, once per worker. */
const WATCHED = Symbol.for('sandlot.test.watched');
const here = globalThis as unknown as { fetch: Fetch; [WATCHED]?: boolean };
if (!here[WATCHED]) {
  const plain = globalThis.fetch;
  const watching = documentedFetch(plain as unknown as Fetch);
  globalThis.fetch = ((target: unknown, init?: unknown) =>
    typeof target === 'string'
      ? watching(target, init as Parameters<Fetch>[1])
      : plain(target as Request, init as RequestInit)) as typeof globalThis.fetch;
  here[WATCHED] = true;
}

/** A test that expects violations takes them itself. */
afterEach(() => {
  expect(takeViolations(), 'responds with what the OpenAPI documents do not describe').toEqual([]);
});
