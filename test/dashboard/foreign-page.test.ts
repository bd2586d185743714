import http from 'node:http';
import type { Page } from 'playwright-core';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createSandbox } from '../../src/index.ts';
import { urlOf } from '../../src/kernel/addresses.ts';
import { openSandbox } from '../../src/sandbox/sandbox.ts';
import { startBrowser } from '../support/browser.ts';
import { listenOnLoopback } from '../support/ports.ts';
import { MAX_WAIT_MS } from '../support/tab.ts';

const browser = await startBrowser();

/** Serves a page on another port of this machine, which is the same site to a browser. */
async function foreignPage(html: string): Promise<string> {
  const server = http.createServer((_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(html);
  });
  return listenOnLoopback(server);
}

/** Everything that a page can try without permission. */
const attack = (target: string) => `<!doctype html><body><script type="module">
  const outcomes = {};
  const tried = async (name, act) => { outcomes[name] = await act().then(String, (error) => 'failed: ' + error); };
  const reset = '${target}/_sandbox/reset';
  const post = { method: 'POST', credentials: 'include' };
  await tried('fetch', () => fetch(reset, post).then((response) => response.status));
  await tried('no-cors', () => fetch(reset, { ...post, mode: 'no-cors', body: '{}' }).then((response) => response.type));
  await tried('json', () => fetch(reset, { ...post, headers: { 'Content-Type': 'application/json' }, body: '{}' }).then((response) => response.status));
  await tried('delete', () => fetch('${target}/_sandbox/requests', { method: 'DELETE', credentials: 'include' }).then((response) => response.status));
  await tried('beacon', async () => navigator.sendBeacon(reset, '{}'));
  await tried('read', () => fetch('${target}/_sandbox/credentials/dmk_sandbox_local', { credentials: 'include' }).then((response) => response.text()));
  for (const name of ['img', 'script']) await tried(name, () => new Promise((done) => {
    const element = document.createElement(name);
    element.onload = () => done('loaded');
    element.onerror = () => done('failed');
    element.src = '${target}/_sandbox/status';
    document.body.append(element);
  }));
  await tried('stream', () => new Promise((done) => {
    const source = new EventSource('${target}/_sandbox/stream', { withCredentials: true });
    source.onopen = () => done('open');
    source.onerror = () => { source.close(); done('failed'); };
  }));
  await tried('frame', () => new Promise((done) => {
    const frame = document.createElement('iframe');
    frame.onload = () => { try { done(frame.contentDocument === null ? 'closed' : 'open'); } catch { done('closed'); } };
    frame.src = '${target}/_sandbox/';
    document.body.append(frame);
  }));
  for (const type of ['application/x-www-form-urlencoded', 'text/plain']) {
    const form = document.createElement('form');
    const into = document.createElement('iframe');
    into.name = 'into-' + type;
    form.target = into.name; form.method = 'post'; form.enctype = type; form.action = reset;
    document.body.append(into, form);
    await new Promise((done) => { into.onload = done; form.submit(); });
  }
  document.title = JSON.stringify(outcomes);
</script>`;

const OUTCOMES = {
  fetch: expect.stringMatching(/^failed/),
  // The browser sends it and hides the response; its effect is checked below.
  'no-cors': 'opaque',
  json: expect.stringMatching(/^failed/),
  delete: expect.stringMatching(/^failed/),
  beacon: 'true',
  read: expect.stringMatching(/^failed/),
  img: 'failed',
  script: 'failed',
  stream: 'failed',
  frame: expect.stringMatching(/^closed/),
};

async function attacked(page: Page, target: string): Promise<object> {
  const foreign = await foreignPage(attack(target));
  await page.goto(foreign);
  await page.waitForFunction(`document.title.startsWith('{')`);
  return JSON.parse(await page.title()) as object;
}

async function quietTab() {
  const context = await browser?.newContext();
  if (!context) throw new Error('no browser');
  context.setDefaultTimeout(MAX_WAIT_MS);
  onTestFinished(() => context.close());
  return context.newPage();
}

describe.skipIf(!browser)('a page on another port of this machine', () => {
  test('changes and reads nothing', async () => {
    const at = await createSandbox({ inventory: 20 });
    onTestFinished(() => at.close());
    await at.call({
      method: 'POST',
      target: '/api/partner/v1/quotes',
      body: { domain: 'held-order.test' },
    });
    const before = await at.control.get<{ requests: object[] }>('/requests');
    const upcoming = await at.control.get<{ upcoming: object[] }>('/clock/upcoming');
    expect(upcoming.upcoming.length).toBeGreaterThan(0);
    expect(await attacked(await quietTab(), at.url)).toEqual(OUTCOMES);
    expect(await at.control.get('/requests')).toEqual(before);
    const after = await at.control.get<{ upcoming: { id: string }[] }>('/clock/upcoming');
    expect(after.upcoming).toEqual(upcoming.upcoming);
  });

  test('changes and reads nothing in a browser that is signed in', async () => {
    const opened = await openSandbox({ inventory: 20, controlToken: 'open sesame' });
    onTestFinished(() => opened.close());
    const url = urlOf(await opened.listen('127.0.0.1', 0));
    const page = await quietTab();
    await page.goto(`${url}/_sandbox/`);
    await page.getByLabel('Token').fill('open');
    await page.keyboard.press('Enter');
    await page.getByText('The token is incorrect.').waitFor();
    await page.getByLabel('Token').fill('open sesame');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Clock', exact: true }).click();
    await page.locator('#live[data-state="live"]').waitFor();
    await page.getByRole('button', { name: 'Freeze' }).click();
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    expect(opened.status().clock.frozen).toBe(true);
    const { now } = opened.status().clock;
    expect(await attacked(await page.context().newPage(), url)).toEqual(OUTCOMES);
    // A reset would let the clock run again.
    expect(opened.status().clock).toMatchObject({ frozen: true, now });
  });
});
