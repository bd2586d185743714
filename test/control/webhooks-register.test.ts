import { expect, test } from 'vitest';
import type { ControlRegistration } from '../../src/webhooks/registration.ts';
import { commandLine } from '../cli/command-line.ts';
import { mintIn, orderFor } from '../support/orders.ts';
import { receiver, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';

const LOCAL = 'http://127.0.0.1:4020/';

test('a url registered without signing gets what is signed with its secret', async () => {
  const at = await sandbox();
  const hook = await receiver();
  const input = { url: hook.url, secret: 'whsec_x' };
  const made = await at.control.put<ControlRegistration>('/webhooks', input);
  expect(made).toMatchObject({ partner: 'local', environment: 'SANDBOX', url: hook.url });
  expect(made).not.toHaveProperty('secret');
  await orderFor(at);
  await at.idle();
  expect(hook.received).toHaveLength(1);
});

test('it replaces the url that the partner registered, and keeps when that was', async () => {
  const at = await sandbox();
  await register(at, 'http://127.0.0.1:9/');
  await at.control.post('/clock/advance', { by: '1h' });
  const input = { url: LOCAL, secret: 'whsec_x' };
  const made = await at.control.put<ControlRegistration>('/webhooks', input);
  expect(made.created_at < made.updated_at).toBe(true);
  expect(await at.control.get('/webhooks')).toMatchObject({ webhooks: [{ url: LOCAL }] });
});

test('a partner, named by id, and an environment have a url of their own, in the named world', async () => {
  const at = await sandbox();
  const { partner_id: partner } = await mintIn(at, 'w', { partner: 'acme' });
  const w = at.control.in('w');
  await w.put('/webhooks', { partner, environment: 'LIVE', url: LOCAL, secret: 'whsec_x' });
  expect(await w.get('/webhooks')).toMatchObject({
    webhooks: [{ partner: 'acme', partner_id: partner, environment: 'LIVE' }],
  });
  expect(await at.control.get('/webhooks')).toMatchObject({ webhooks: [] });
});

test.each([
  [{ url: 'no url', secret: 'whsec_x' }, 'url: '],
  [{ url: 'http://169.254.169.254/', secret: 'whsec_x' }, 'url: '],
  [{ url: LOCAL, secret: '' }, 'secret: '],
  [{ url: LOCAL }, 'secret: '],
  [{ url: LOCAL, secret: 'whsec_x', environment: 'TEST' }, 'environment: '],
])('%j is rejected, and nothing is registered', async (body, field) => {
  const at = await sandbox();
  await expect(at.control.put('/webhooks', body)).rejects.toThrow(field);
  expect(await at.control.get('/webhooks')).toMatchObject({ webhooks: [] });
});

test('the command line registers, lists and unregisters', async () => {
  const at = await sandbox();
  const run = commandLine(at);
  const made = await run(`webhooks register --url ${LOCAL} --secret whsec_x --partner acme`);
  expect(made).toMatchObject({ code: 0, stdout: `Registered ${LOCAL} for acme in SANDBOX\n` });
  expect((await run('webhooks registrations')).stdout).toContain(LOCAL);
  expect((await run('webhooks unregister --partner local')).code).toBe(1);
  expect((await run('webhooks unregister --env LIVE')).code).toBe(1);
  expect((await run('webhooks unregister --partner acme')).code).toBe(0);
  expect((await run('webhooks registrations --json')).json()).toMatchObject({ webhooks: [] });
  expect((await run(`webhooks register --url ${LOCAL}`)).stderr).toContain('--secret');
});
