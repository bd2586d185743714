import { describe, expect, test } from 'vitest';
import { callOf, SPECIFIED_ENDPOINTS } from '../support/endpoints.ts';
import { mint } from '../support/orders.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const SCOPES = ['search', 'embed', 'buy', 'broker', 'refer', 'report', 'webhook'];

describe.each(SPECIFIED_ENDPOINTS)('$method $path', (endpoint) => {
  const { scopes, affiliate = false } = endpoint;

  test(`is open with ${scopes.join(' or ')}, and with no other scope`, async () => {
    const at = await sandbox();
    for (const scope of SCOPES) {
      const key = await mint(at, { partner: scope, scopes: [scope] });
      const response = await at.call(callOf(endpoint), key);
      if (scopes.includes(scope)) {
        expect([200, 201, 404]).toContain(response.status);
        continue;
      }
      const rejected = await rejection(response);
      expect(rejected).toMatchObject({ status: 403, code: 'forbidden' });
      expect(rejected.message).toContain(scopes.join(' or '));
    }
  });

  test('is closed to who holds every other scope', async () => {
    const at = await sandbox();
    const others = SCOPES.filter((scope) => !scopes.includes(scope));
    const key = await mint(at, { scopes: others, partner: 'others' });
    expect(await rejection(await at.call(callOf(endpoint), key))).toMatchObject({
      code: 'forbidden',
    });
  });

  test(`${affiliate ? 'needs' : 'does not need'} a link to an affiliate account`, async () => {
    const at = await sandbox();
    const key = await mint(at, { affiliate: false });
    const response = await at.call(callOf(endpoint), key);
    expect(response.status === 403).toBe(affiliate);
    if (affiliate) expect((await rejection(response)).message).toContain('affiliate');
  });
});
