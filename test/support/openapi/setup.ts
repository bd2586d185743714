import { afterEach, expect } from 'vitest';
import { documentedFetch, takeViolations } from './watch.ts';

/** Over sockets the sandbox is reached by the global `fetch`, which is held to the documents too, once per worker. */
const WATCHED = Symbol.for('sandlot.test.watched');
const here = globalThis as { [WATCHED]?: boolean };
if (!here[WATCHED]) {
  globalThis.fetch = documentedFetch(globalThis.fetch);
  here[WATCHED] = true;
}

/** A test that expects violations takes them itself. */
afterEach(() => {
  expect(takeViolations(), 'responds with what the OpenAPI documents do not describe').toEqual([]);
});
