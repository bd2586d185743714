import { describe, expect, test } from 'vitest';
import { ENDPOINTS } from '../../src/api/index.ts';
import { isOnPath, readPathPattern, spellPath } from '../../src/faults/path-pattern.ts';

const V1 = '/api/partner/v1';

/** Whether a call of an endpoint, by its declared path, is on the path that a rule spells. */
function matches(pattern: string, endpoint: string, called = endpoint): boolean {
  return isOnPath(readPathPattern(pattern), endpoint, called);
}

describe('a path of a rule', () => {
  test.each([
    ['/orders', `${V1}/orders`, undefined, true],
    ['orders', `${V1}/orders`, undefined, true],
    [`${V1}/orders`, `${V1}/orders`, undefined, true],
    ['/orders', `${V1}/orders/:public_id`, `${V1}/orders/ord_1`, false],
    ['/orders/{public_id}', `${V1}/orders/:public_id`, `${V1}/orders/ord_1`, true],
    ['/orders/:id', `${V1}/orders/:public_id`, `${V1}/orders/ord_1`, true],
    ['/orders/ord_1', `${V1}/orders/:public_id`, `${V1}/orders/ord_1`, true],
    ['/orders/ord_1', `${V1}/orders/:public_id`, `${V1}/orders/ord_12`, false],
    ['/orders/*', `${V1}/orders/:public_id`, `${V1}/orders/ord_1`, true],
    ['/orders*', `${V1}/orders`, undefined, true],
    ['*', `${V1}/events`, undefined, true],
    ['*/clicks', `${V1}/me/clicks`, undefined, true],
    ['/webhooks', '/api/partner/webhooks', undefined, true],
    ['/webhooks', `${V1}/events`, undefined, false],
    // Another endpoint, though its path has the form of this one.
    ['/domains/{name}', `${V1}/domains/search`, undefined, false],
    ['/domains/{name}', `${V1}/domains/:name`, `${V1}/domains/a.com`, true],
    ['/domains/a*', `${V1}/domains/:name`, `${V1}/domains/a.com`, true],
    ['/domains/b*', `${V1}/domains/:name`, `${V1}/domains/a.com`, false],
  ])('%s and a call of %s', (pattern, path, target, expected) => {
    expect(matches(pattern, path, target)).toBe(expected);
  });

  test('as an endpoint declares it, or as documents spell it, is that endpoint and no other', () => {
    for (const { path } of ENDPOINTS) {
      for (const spelled of [path, spellPath(path)]) {
        const met = ENDPOINTS.filter((each) => matches(spelled, each.path));
        expect(new Set(met.map((each) => each.path)), spelled).toEqual(new Set([path]));
      }
    }
  });

  test('of nothing but stars and letters is compared in time', () => {
    const pattern = `${'*a'.repeat(100)}b`;
    expect(matches(pattern, `${V1}/domains/:name`, `${V1}/domains/${'a'.repeat(2_000)}`)).toBe(
      false,
    );
  });
});
