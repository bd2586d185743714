import { describe, expect, test } from 'vitest';
import { parseForm } from '../../src/http/request.ts';
import { checkoutFor, PAYING, submit } from '../support/checkout.ts';
import { growthOf, MAX_GROWTH } from '../support/growth.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';
import { digestOf } from '../support/state-folder.ts';

describe('a rejected form', () => {
  const CASES: [what: string, fields: object, status: number, says: string][] = [
    ['a declined card', { card_number: '4000-0000-0000-0002' }, 402, 'Your card was declined.'],
    ['an unknown card', { card_number: '5555 5555 5555 4444' }, 402, 'Use 4242 4242 4242 4242.'],
    ['a mistyped card', { card_number: '4242424242424241' }, 422, 'This card number is not valid'],
    ['a card of letters', { card_number: 'four' }, 422, 'This card number is not valid'],
    ['no card', { card_number: ' ' }, 422, 'This card number is not valid'],
    ['no email', { email: '' }, 422, 'like name@example.com'],
    ['a bad email', { email: 'ada@' }, 422, 'like name@example.com'],
    ['an email with a tab', { email: 'ada@example.com\t' }, 422, 'like name@example.com'],
    ['a name with a line break', { name: 'Ada\nLovelace' }, 422, 'Enter your name'],
    ['no name', { name: ' \u2028' }, 422, 'Enter your name'],
    ['a name too long', { name: 'x'.repeat(201) }, 422, 'at most 200 characters'],
    ['no country', { country: '' }, 422, 'Choose your country.'],
    ['no such country', { country: 'XX' }, 422, 'Choose your country.'],
    ['no expiry', { expiry: '' }, 422, 'Enter the expiry date'],
    ['a thirteenth month', { expiry: '13/30' }, 422, 'Enter the expiry date'],
    ['a short code', { cvc: '12' }, 422, 'Enter the 3 or 4 digits'],
    ['a code of letters', { cvc: 'abc' }, 422, 'Enter the 3 or 4 digits'],
  ];

  test.each(CASES)('with %s changes nothing and says why', async (_what, fields, status, says) => {
    const { dataDir, at } = await sandboxOnDisk();
    const { checkout_url } = await checkoutFor(at);
    const before = digestOf(dataDir);
    const response = await submit(at, checkout_url, { ...PAYING, ...fields });
    const text = await response.text();
    expect(response.status).toBe(status);
    expect(text).toContain(says);
    expect(text).toContain('<title>Error: Pay for');
    expect(digestOf(dataDir)).toBe(before);
    expect((await submit(at, checkout_url, PAYING)).status).toBe(303);
  });

  test('keeps what was typed except the card number and its code', async () => {
    const at = await sandbox();
    const { checkout_url } = await checkoutFor(at, { buyer_email: 'prefilled@example.com' });
    const typed = { ...PAYING, card_number: '4000000000000002', cvc: '987', expiry: '11/31' };
    const text = await (await submit(at, checkout_url, typed)).text();
    expect(text).toMatch(/<input id="email"[^>]* value="ada@example.com"/);
    expect(text).toMatch(/<input id="name"[^>]* value="Ada Lovelace"/);
    expect(text).toContain('<option value="GB" selected="">');
    expect(text).toMatch(/<input id="expiry"[^>]* value="11\/31"/);
    expect(text).not.toContain('4000000000000002');
    expect(text).not.toContain('987');
  });

  test('ties each problem to its field, and the first takes the focus', async () => {
    const at = await sandbox();
    const { checkout_url } = await checkoutFor(at);
    const text = await (await submit(at, checkout_url, { action: 'pay' })).text();
    expect(text.match(/ id="[^"]*"[^>]* autofocus=""/g)).toHaveLength(1);
    expect(text).toMatch(/<input id="email"[^>]* autofocus=""/);
    for (const field of ['email', 'name', 'country', 'card_number', 'expiry', 'cvc']) {
      expect(text).toContain(`id="${field}-problem"`);
      expect(text).toMatch(
        new RegExp(`<(?:input|select) id="${field}"[^>]*aria-describedby="[^"]*${field}-problem"`),
      );
      expect(text).toMatch(new RegExp(`<(?:input|select) id="${field}"[^>]*aria-invalid="true"`));
    }
  });

  test.each([
    ['of another site', PAYING, { 'Sec-Fetch-Site': 'cross-site' }, 403],
    ['of the same site', PAYING, { 'Sec-Fetch-Site': 'same-site' }, 403],
    ['of another origin', PAYING, { Origin: 'https://evil.example' }, 403],
    ['of another port', PAYING, { Origin: 'http://localhost:3000' }, 403],
    ['of another scheme', PAYING, { Origin: 'https://localhost' }, 403],
    ['of no origin', PAYING, { Origin: 'null' }, 403],
    [
      'whose Origin and Sec-Fetch-Site differ',
      PAYING,
      { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'same-origin' },
      403,
    ],
    ['that is no form', PAYING, { 'Content-Type': 'application/json' }, 415],
    ['that does not say what to do', { ...PAYING, action: 'jump' }, {}, 400],
    ['beyond 1 MiB', { ...PAYING, name: 'x'.repeat(1024 * 1024) }, {}, 413],
  ])('%s is an error page and changes nothing', async (_what, fields, headers, status) => {
    const { dataDir, at } = await sandboxOnDisk();
    const { checkout_url } = await checkoutFor(at);
    const before = digestOf(dataDir);
    const response = await submit(at, checkout_url, fields, headers);
    expect(response.status).toBe(status);
    expect(response.headers.get('content-type')).toMatch(/^text\/html/i);
    expect(await response.text()).toContain('Request rejected');
    expect(digestOf(dataDir)).toBe(before);
  });

  test.each([
    {},
    { 'Sec-Fetch-Site': 'same-origin' },
    { 'Sec-Fetch-Site': 'none' },
    { Origin: 'http://localhost' },
    { Origin: 'https://sandbox.example', 'Sec-Fetch-Site': 'same-origin' },
  ])('is not one that comes with %j', async (headers) => {
    const at = await sandbox({ publicUrl: 'https://sandbox.example' });
    const { checkout_url } = await checkoutFor(at);
    const { pathname, search } = new URL(checkout_url);
    const response = await submit(at, pathname + search, PAYING, headers as Record<string, string>);
    expect(response.status).toBe(303);
  });
});

test('a form takes linear time, and is read as by `URLSearchParams`', () => {
  const read = (text: string) => [...parseForm(text)];
  expect(growthOf((size) => read('a&'.repeat(size / 2)), 20_000)).toBeLessThan(MAX_GROWTH);
  const form = '?a&b=c=d&&=e&+%41&f';
  expect(read(form)).toEqual([...new URLSearchParams(form)]);
});
