import { expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { mint, mintIn } from '../support/orders.ts';
import { rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const ESCAPES = `/api/partner/v1/domains/search?q=${'%21'.repeat(4_700)}`;

function callWith(at: InProcessSandbox, secret: string, target: string): Promise<Response> {
  const key: Key = { ...at.credential, secret };
  return at.call({ method: 'GET', target }, key);
}

test('the diagnosis names the credential whose secret was used, among any number', async () => {
  const at = await sandbox();
  for (let n = 0; n < 59; n += 1) await mint(at, { scopes: ['search'] });
  const last = await mint(at, { scopes: ['search'] });
  const response = await rejection(await callWith(at, last.secret, '/api/partner/v1/orders'));
  expect(response).toMatchObject({ status: 401, code: 'invalid_signature' });
  expect(response.message).toContain(`the secret of another credential (that of ${last.key_id})`);
});

test('the diagnosis names the secret of a credential of another world', async () => {
  const at = await sandbox();
  const other = await mintIn(at, 'w1');
  const response = await rejection(await callWith(at, other.secret, '/api/partner/v1/orders'));
  expect(response.message).toContain(`(that of ${other.key_id})`);
});

test('other requests are served between the diagnoses of 20 expensive wrong signatures', async () => {
  const at = await sandbox();
  let diagnosed = 0;
  const wrong = Array.from({ length: 20 }, async () => {
    const response = await rejection(await callWith(at, 'not the secret', ESCAPES));
    diagnosed += 1;
    return response;
  });
  await at.control.get('/health');
  expect(diagnosed).toBeLessThan(10);
  for (const { code } of await Promise.all(wrong)) expect(code).toBe('invalid_signature');
});
