import { expect, test } from 'vitest';
import { checkoutFor, PAYING, submit } from '../support/checkout.ts';
import { sandbox } from '../support/sandbox.ts';
import { overWire } from '../support/wire.ts';

test('every response forbids guessing its content type', async () => {
  const at = await sandbox({ port: 0 });
  const { checkout_url } = await checkoutFor(at);
  const v1 = '/api/partner/v1';
  const responses: [string, Response][] = [
    ['partner API', await at.call({ method: 'GET', target: `${v1}/orders` })],
    ['partner API, rejected', await at.fetch(`${v1}/orders`)],
    ['partner API, no such path', await at.call({ method: 'GET', target: `${v1}/nothing` })],
    ['checkout', await at.fetch(checkout_url)],
    ['checkout, paid', await submit(at, checkout_url, PAYING)],
    ['no such path', await at.fetch('/nothing')],
    ['control API', await at.fetch('/_sandbox/status')],
    ['no such control path', await at.fetch('/_sandbox/nothing')],
    ['rejected by the guard', await at.fetch('http://evil.example/_sandbox/status')],
    ['not HTTP', await overWire(at, { method: 'GET', target: '/_sandbox/health?a=%ff' })],
  ];
  for (const path of ['', '/', '/dashboard/orders', '/dashboard/nothing', '/assets/x/y']) {
    responses.push([
      `dashboard ${path}`,
      await at.fetch(`/_sandbox${path}`, { redirect: 'manual' }),
    ]);
  }
  for (const [what, response] of responses) {
    expect(response.headers.get('x-content-type-options'), what).toBe('nosniff');
    await response.body?.cancel();
  }
});
