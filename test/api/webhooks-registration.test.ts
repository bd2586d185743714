import { describe, expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { mint, mintLive, orderFor } from '../support/orders.ts';
import { headerOf, receiver, register, rightSignature, withReceiver } from '../support/receiver.ts';
import { answered, rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { sharedWatched } from '../support/unchanged.ts';

const URL_OF_OURS = 'https://partner.example/hooks?for=sandlot#top';

function put(at: InProcessSandbox, body: object, key?: Key): Promise<Response> {
  return at.call({ method: 'PUT', target: '/api/partner/webhooks', body }, key);
}

test('a registration returns url, active and created_at, and never the secret', async () => {
  const at = await sandbox();
  const response = await put(at, { url: URL_OF_OURS, secret: 'whsec_1' });
  expect(await answered(response, 200)).toEqual({
    url: URL_OF_OURS,
    active: true,
    created_at: '2026-03-02T09:00:00.000Z',
  });
});

test('registering again replaces url and secret and keeps created_at', async () => {
  const at = await sandbox();
  const first = await receiver();
  const second = await receiver();
  await register(at, first.url, { secret: 'one' });
  await at.control.post('/clock/advance', { by: '1d' });
  const again = await put(at, { url: second.url, secret: 'two' });
  expect(await answered(again, 200)).toEqual({
    url: second.url,
    active: true,
    created_at: '2026-03-02T09:00:00.000Z',
  });
  await orderFor(at);
  await at.idle();
  expect(first.received).toEqual([]);
  const [got] = second.received;
  expect(got && headerOf(got, 'X-Service-Signature')).toBe(got && rightSignature(got, 'two'));
});

test('there is one registration per partner and environment', async () => {
  const at = await sandbox();
  const [ours, theirs, live] = [await receiver(), await receiver(), await receiver()];
  const sibling = await mint(at, { partner: 'local', scopes: ['webhook'] });
  const other = await mint(at, { partner: 'other' });
  const liveKey = await mintLive(at, { partner: 'local' });
  await register(at, 'http://127.0.0.1:9/never');
  await register(at, theirs.url, { key: other });
  await register(at, live.url, { key: liveKey });
  await register(at, ours.url, { key: sibling });
  await orderFor(at, 0);
  await orderFor(at, 1, other);
  await at.idle();
  expect([ours, theirs, live].map(({ received }) => received.length)).toEqual([1, 1, 0]);
});

const shared = await sharedWatched();

describe('a url', () => {
  test.each([
    'http://127.0.0.1:9/hook',
    'http://localhost:9/',
    'http://[::1]:9/',
    'https://partner.example',
    'HTTPS://PARTNER.EXAMPLE/Hook',
    'http://10.1.2.3/',
    'http://192.168.0.1:8080/x?y=z&y=z',
    'http://169.253.255.255/',
    'http://169.255.0.1/',
    'http://[fec0::1]/',
    'http://b\u00fccher.example/',
    'https://partner.example/%7Eada/\u00fc;v=1?a=b%20c#top',
    'http://223.255.255.255/',
    'http://240.0.0.1/',
    'http://[fd20:ce::253]/',
    'http://[64:ff9b:1::10.1.2.3]/',
  ])('may be %s', async (url) => {
    const at = await sandbox();
    expect(await answered(await put(at, { url, secret: 's' }), 200)).toMatchObject({ url });
  });

  test.each([
    '',
    ' ',
    'partner.example/hook',
    '/hook',
    '//partner.example/hook',
    'http://',
    'http://partner example/',
    'ftp://partner.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'http://user@partner.example/',
    'http://:password@partner.example/',
    'http://169.254.169.254/latest/meta-data/',
    'https://169.254.0.1:8443/',
    'http://169.254.169.254./',
    'http://2852039166/',
    'http://0xA9FEA9FE/',
    'http://\uff11\uff16\uff19.254.169.254/',
    'http://[fe80::1]/',
    'http://[FEBF:ffff::1]/',
    'http://[::ffff:169.254.169.254]/',
    'http://[::a9fe:a9fe]/',
    'http://[::ffff:0:a9fe:a9fe]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://168.63.129.16/',
    'http://100.100.100.200/',
    'http://192.0.0.192/',
    'http://[fd00:ec2::254]/',
    'http://[fd20:ce::254]/',
    'http://224.0.0.1/',
    'http://239.255.255.255/',
    'http://255.255.255.255/',
    'http://[ff02::1]/',
    'http://[::ffff:255.255.255.255]/',
    'http://[::224.0.0.1]/',
    'http://[64:ff9b:1::169.254.169.254]/',
    'http:partner.example/',
    'http:/partner.example/',
    'http:\\\\partner.example\\',
    'http://partner.example\\@127.0.0.1/',
    'http://@partner.example/',
    'http:///partner.example/',
    'http://partner.example:99999/',
    'http://[::1',
    'http://[::1%25lo]/',
    'http://partner..example:/ x',
    ' http://partner.example/',
    'http://partner.example/ ',
    'http://partner.example/\n',
    'http://part\tner.example/',
    'http://partner.example/a\u0000b',
    'http://partner.example/\ud800',
    'http://partner.example/a b',
    'http://partner.example/<x>',
    'http://partner.example/%zz',
    'not a url',
    `http://partner.example/${'x'.repeat(2_000)}`,
  ])('may not be %s, and nothing is registered', async (url) => {
    const response = await shared.rejected(() => put(shared.at, { url, secret: 's' }));
    expect(response).toMatchObject({ status: 400, code: 'validation_error' });
    expect(response.message).toMatch(/^url: /);
  });
});

test.each<[field: string, body: object]>([
  ['url', { secret: 's' }],
  ['url', { url: null, secret: 's' }],
  ['secret', { url: URL_OF_OURS }],
  ['secret', { url: URL_OF_OURS, secret: '' }],
  ['secret', { url: URL_OF_OURS, secret: 7 }],
  ['secret', { url: URL_OF_OURS, secret: 's'.repeat(256) }],
  ['secret', { url: URL_OF_OURS, secret: 'two words' }],
  ['secret', { url: URL_OF_OURS, secret: 'secret\n' }],
  ['secret', { url: URL_OF_OURS, secret: 'gehe\u00efm' }],
  ['secret', { url: URL_OF_OURS, secret: '\u007f' }],
])('a body with an invalid %s is rejected: %j', async (field, body) => {
  const response = await shared.rejected(() => put(shared.at, body));
  expect(response).toMatchObject({ status: 400, code: 'validation_error' });
  expect(response.message).toMatch(new RegExp(`^${field}: `));
});

test('a secret is 1 to 255 visible ASCII characters', async () => {
  const at = await sandbox();
  for (const secret of ['!', '~'.repeat(255)]) {
    await answered(await put(at, { url: URL_OF_OURS, secret }), 200);
  }
});

test('a rejected replacement keeps the old registration', async () => {
  const { at, hook: ours } = await withReceiver();
  for (const body of [
    { url: 'http://169.254.169.254/', secret: 'x' },
    { url: 'http:partner.example', secret: 'x' },
    { url: ours.url, secret: 'not visible' },
  ]) {
    await rejection(await put(at, body));
  }
  await orderFor(at);
  await at.idle();
  expect(ours.received).toHaveLength(1);
  const [got] = ours.received;
  expect(got && headerOf(got, 'X-Service-Signature')).toBe(got && rightSignature(got));
});
