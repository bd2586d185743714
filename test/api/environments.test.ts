import { describe, expect, test } from 'vitest';
import { got } from '../support/calls.ts';
import { callOf, SPECIFIED_ENDPOINTS } from '../support/endpoints.ts';
import { mint, mintLive } from '../support/orders.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

describe('a LIVE credential', () => {
  test('is rejected everywhere until it is approved', async () => {
    const at = await sandbox();
    const live = await mint(at, { environment: 'LIVE' });
    expect(live).toMatchObject({ approved: false, key_id: expect.stringMatching(/^dmk_live_/) });
    for (const endpoint of SPECIFIED_ENDPOINTS) {
      const response = await rejection(await at.call(callOf(endpoint), live));
      expect(response).toMatchObject({ status: 403, code: 'forbidden' });
      expect(response.message).toContain('approved');
    }
    await at.control.post(`/credentials/${live.key_id}/approve`);
    for (const endpoint of SPECIFIED_ENDPOINTS) {
      expect((await at.call(callOf(endpoint), live)).status).not.toBe(403);
    }
  });

  test('finds an empty inventory', async () => {
    const at = await sandbox();
    const live = await mintLive(at);
    const { domain } = await seededListing();
    for (const q of [domain, 'a b c d e', 'magic']) {
      const query = `/domains/search?q=${encodeURIComponent(q)}`;
      expect(await got(at, query, live)).toEqual({ domains: [] });
    }
  });
});
