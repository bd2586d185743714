import { describe, expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { callOf, SPECIFIED_ENDPOINTS } from '../support/endpoints.ts';
import { mint, mintLive } from '../support/orders.ts';
import { answered, rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

const V1 = '/api/partner/v1';

async function get<T>(at: InProcessSandbox, path: string, key?: Key): Promise<T> {
  return answered<T>(await at.call({ method: 'GET', target: V1 + path }, key), 200);
}

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
      expect(await get(at, query, live)).toEqual({ domains: [] });
    }
  });
});
