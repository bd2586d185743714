import { describe, expect, onTestFinished, test } from 'vitest';
import { openSandbox } from '../../src/sandbox/sandbox.ts';

const TOKEN = 'open sesame';
const HOME = 'http://localhost';
const SESSION = '/_sandbox/dashboard/session';

/** Opens a sandbox with a token, and calls it as a browser does. */
async function guarded(publicUrl?: string) {
  const shop = await openSandbox({ inventory: 5, controlToken: TOKEN, publicUrl });
  onTestFinished(() => shop.close());
  const call = async (path: string, headers: Record<string, string> = {}, body?: string) =>
    shop.app.request(`${HOME}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers,
      ...(body !== undefined && { body }),
    });
  const signIn = (token: string, more: Record<string, string> = {}, action = SESSION) =>
    call(
      action,
      { 'Content-Type': 'application/x-www-form-urlencoded', Origin: HOME, ...more },
      new URLSearchParams({ token }).toString(),
    );
  const cookie = async () => {
    const response = await signIn(TOKEN);
    return response.headers.get('set-cookie')?.split(';')[0] ?? '';
  };
  return { shop, call, signIn, cookie };
}

test('without the token every page asks for it and shows nothing else', async () => {
  const { call } = await guarded();
  const pages = ['dashboard/credentials', 'dashboard/none', '?world=none', 'reference?api=control'];
  for (const path of ['', ...pages].map((page) => `/_sandbox/${page}`)) {
    const response = await call(path, { Accept: 'text/html' });
    const text = await response.text();
    expect(response.status, path).toBe(401);
    expect(text).toContain('name="token" type="password"');
    expect(text).not.toMatch(/dmk_|default|sesame/);
  }
});

test.each([
  ['is secure behind a public https URL', 'https://box.example', 'https://box.example', true],
  ['is not secure over http', 'https://box.example', HOME, false],
  ['is not secure without a public URL', undefined, HOME, false],
])('the cookie %s', async (_what, publicUrl, Origin, isSecure) => {
  const { signIn } = await guarded(publicUrl);
  const set = (await signIn(TOKEN, { Origin })).headers.get('set-cookie') ?? '';
  expect(set).toMatch(/^sandlot_control_80=[\w-]{43}; /);
  expect(set.split('; ').includes('Secure')).toBe(isSecure);
});

test('the token is exchanged for a cookie that does not contain it and that no script can read', async () => {
  const { signIn, call, cookie } = await guarded();
  const response = await signIn(TOKEN);
  expect([response.status, response.headers.get('location')]).toEqual([303, '/_sandbox/']);
  const set = response.headers.get('set-cookie') ?? '';
  expect(set).toMatch(/^sandlot_control_80=[\w-]{43}; Path=\/_sandbox; HttpOnly; SameSite=Strict$/);
  expect(set).not.toContain('sesame');
  const Cookie = await cookie();
  expect((await call('/_sandbox/', { Cookie })).status).toBe(200);
  expect((await call('/_sandbox/status', { Cookie })).status).toBe(200);
});

test('a wrong token is rejected and sets no cookie', async () => {
  const { signIn } = await guarded();
  for (const token of ['', 'open', 'open sesame ', 'OPEN SESAME']) {
    const response = await signIn(token);
    expect(response.status, token).toBe(401);
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(await response.text()).toContain('The token is incorrect.');
  }
});

test('signing in opens the page that asked for the token, also after a wrong one', async () => {
  const { call, signIn } = await guarded();
  const page = '/_sandbox/dashboard/orders?status=SETTLED&world=w2';
  const actionOf = async (response: Response) =>
    /action="([^"]+)"/.exec(await response.text())?.[1];
  const action = await actionOf(await call(page));
  expect(await actionOf(await signIn('open', {}, action))).toBe(action);
  expect((await signIn(TOKEN, {}, action)).headers.get('location')).toBe(page);
  expect((await call(action ?? '')).headers.get('location')).toBe(page);
  for (const to of ['//evil.example', '/_sandbox/%0d%0aX-Evil:1']) {
    const other = await signIn(TOKEN, {}, `${SESSION}?to=${to}`);
    expect(other.headers.get('location')).toBe('/_sandbox/');
  }
});

test('a forged cookie, or one of another sandbox, is rejected', async () => {
  const { call, cookie } = await guarded();
  const [name = '', value = ''] = (await cookie()).split('=');
  const other = [
    `${name}=${value.slice(1)}`,
    `${name}=`,
    `${name}=${TOKEN}`,
    `sandlot_control_81=${value}`,
  ];
  for (const Cookie of other) expect((await call('/_sandbox/status', { Cookie })).status).toBe(401);
});

describe('with the cookie', () => {
  test('a page of the dashboard can make changes', async () => {
    const { call, cookie } = await guarded();
    const headers = { Cookie: await cookie(), Origin: HOME, 'Sec-Fetch-Site': 'same-origin' };
    expect((await call('/_sandbox/clock/freeze', headers, '{}')).status).toBe(200);
  });

  test.each([
    [{ Origin: 'http://localhost:3000', 'Sec-Fetch-Site': 'same-site' }, 403],
    [{ Origin: 'http://evil.example', 'Sec-Fetch-Site': 'cross-site' }, 403],
    [{ Origin: 'null' }, 403],
    [{ 'Sec-Fetch-Site': 'same-site' }, 403],
    [{}, 401],
  ])('a foreign page that sends %j changes nothing', async (from, status) => {
    const { shop, call, cookie } = await guarded();
    const headers = { Cookie: await cookie(), ...(from as Record<string, string>) };
    expect((await call('/_sandbox/clock/freeze', headers, '{}')).status).toBe(status);
    expect(shop.status().clock.frozen).toBe(false);
  });

  test('a page on another port reads nothing', async () => {
    const { call, cookie } = await guarded();
    const headers = {
      Cookie: await cookie(),
      'Sec-Fetch-Site': 'same-site',
      'Sec-Fetch-Mode': 'no-cors',
    };
    expect((await call('/_sandbox/status', headers)).status).toBe(403);
  });
});

test('a foreign page cannot sign in', async () => {
  const { signIn } = await guarded();
  const foreign = await signIn(TOKEN, { Origin: 'http://evil.example' });
  expect(foreign.status).toBe(403);
  expect(foreign.headers.get('set-cookie')).toBeNull();
});

test('pages are served on names of this machine only', async () => {
  const { shop } = await guarded();
  for (const path of ['/_sandbox/', '/_sandbox/dashboard/orders', '/_sandbox/stream']) {
    const response = await shop.app.request(`http://evil.example${path}`);
    expect(response.status, path).toBe(403);
    expect(await response.text()).not.toMatch(/dmk_/);
  }
});
