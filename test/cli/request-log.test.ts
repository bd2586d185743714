import { describe, expect, test } from 'vitest';
import { exampleId } from '../../src/cli/command.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

const PRICING = '/api/partner/v1/pricing?domain=held-order.test';
const QUOTES = '/api/partner/v1/quotes';

async function shopWithTraffic() {
  const at = await sandbox({ rateLimits: true });
  await at.call({ method: 'GET', target: PRICING });
  const body = { domain: 'held-order.test', '`|<script>': 1 };
  await at.call({ method: 'POST', target: QUOTES, body });
  return at;
}

test('lists show sandbox time, or name real time, and a request shows both', async () => {
  const at = await sandbox({ frozenAt: '2030-01-01T00:00:00.000Z' });
  await at.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const run = commandLine(at);
  expect((await run('requests list')).stdout).toMatch(/SANDBOX TIME.*\n.* 2030-01-01 00:00:00Z/);
  expect((await run('worlds list')).stdout).toMatch(/\(SANDBOX TIME\).*\(REAL TIME\)\n.* 20\d\d-/);
  const { stdout } = await run(`requests show ${exampleId('req', 1)}`);
  expect(stdout).toMatch(/^sandbox time +2030-01-01T00:00:00.000Z\nreal time +20\d\d-/m);
});

test('logs print what was ignored, and requests list marks it', async () => {
  const at = await sandbox();
  await at.call({ method: 'GET', target: '/api/partner/v1/orders?created_after=2026-01-01' });
  expect((await commandLine(at)('requests list')).stdout).toContain(' 200 (warning)');
  const { stdout } = await commandLine(at)('logs');
  expect(stdout).toMatch(
    /^[^\n]*200 {2}GET \/orders\?created_after=[^\n]* {2}! query: "created_after" is not a parameter[^\n]*\n$/,
  );
});

describe('requests show', () => {
  test('puts the checks, the canonical string, warnings and the response on one page', async () => {
    const at = await shopWithTraffic();
    const { stdout } = await commandLine(at)(`requests show ${exampleId('req', 2)}`);
    expect(stdout).toContain('✓ signature');
    expect(stdout).toMatch(/✓ rate_limit +class write, limit 20, before 0, after 1/);
    expect(stdout).toMatch(/! body: "`\|<script>" is not a field of this endpoint and was ignored/);
    expect(stdout).toContain('canonical string:\n  POST\n  /api/partner/v1/quotes\n');
    expect(stdout).toContain('"quote_id"');
  });

  test('names the scopes of which one is enough', async () => {
    const at = await sandbox();
    await at.call({ method: 'GET', target: '/api/partner/v1/orders/ord_missing' });
    const { stdout } = await commandLine(at)(`requests show ${exampleId('req', 1)}`);
    expect(stdout).toMatch(/✓ scope +needs buy or search$/m);
  });

  test('says that a body that is not text is shown as base64', async () => {
    const at = await sandbox();
    await at.fetch(QUOTES, { method: 'POST', body: Buffer.from([0xff, 0]) });
    const { stdout } = await commandLine(at)(`requests show ${exampleId('req', 1)}`);
    expect(stdout).toContain('\nbody (2 bytes, not text, shown as base64):\n  /wA=\n');
  });
});

test('requests list shows rejected requests, and filters', async () => {
  const at = await shopWithTraffic();
  await at.call({ method: 'GET', target: '/api/partner/v1/nowhere' });
  const { stdout } = await commandLine(at)('requests list --where status:4xx');
  expect(stdout).toMatch(/404 not_found +GET \/nowhere +2026-03-02 09:00:00Z +\d+\.\d$/m);
  expect(stdout).not.toContain('/quotes');
});

test('logs prints the last requests with the reason, oldest first', async () => {
  const at = await shopWithTraffic();
  await at.call({ method: 'GET', target: '/api/partner/v1/nowhere' });
  const { stdout } = await commandLine(at)('logs --limit 2');
  const [first, second, ...more] = stdout.trimEnd().split('\n');
  expect(more).toEqual([]);
  expect(first).toContain('201  POST /quotes');
  expect(second).toContain('404 not_found  GET /nowhere');
  expect(second).toContain('no such endpoint: GET /api/partner/v1/nowhere');
});

test('logs say nothing without earlier requests, and why they end if their world is deleted', async () => {
  const at = await sandbox();
  const withCtrlC = commandLine(at, { interruption: () => expect.unreachable() });
  expect((await withCtrlC('logs --limit 0')).stderr).toBe('');
  expect(await commandLine(at)('logs --follow')).toMatchObject({ code: 0, stderr: '' });
  await at.control.post('/worlds', { name: 'w' });
  await at.control.in('w').post('/clock/freeze');
  const { stderr } = await commandLine(at, {
    interruption: () => new AbortController().signal,
    onStdout: () => void at.control.delete('/worlds/w'),
  })('logs --follow --api all --world w');
  expect(stderr).toMatch(/^error: .*world "w" not found/);
});

test('logs --follow prints the last requests and each new one, once', async () => {
  const at = await shopWithTraffic();
  const interruption = new AbortController();
  const printed = Promise.withResolvers<void>();
  let lines = 0;
  const following = commandLine(at, {
    interruption: () => interruption.signal,
    onStdout: () => {
      lines += 1;
      if (lines === 14) printed.resolve();
    },
  })('logs --follow --json');
  // What comes while it looks back is told once, whichever way it is seen.
  for (let n = 0; n < 12; n += 1) {
    await at.call({ method: 'GET', target: `${PRICING}&n=${n}` });
    await at.control.get('/requests');
  }
  await printed.promise;
  interruption.abort();
  const { stdout, code } = await following;
  expect(code).toBe(0);
  const ids = stdout.match(/(?<="request_id":")\w+/g) ?? [];
  expect(new Set(ids).size).toBe(ids.length);
  // Two from before, and twelve while it follows.
  expect(ids.length).toBe(14);
});
