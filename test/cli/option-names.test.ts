import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';
import { COMMANDS } from './fixtures.ts';

/** Values that a command requires before it calls the sandbox. */
const REQUIRED: Readonly<Record<string, string>> = {
  'orders why-not': ' --to SETTLED',
  'brokerage advance': ' --to CLOSED',
  'wait order': ' --state SETTLED',
  'clock until': ' --state SETTLED',
  'worlds export': ' w9.db',
  'orders diff': ' none_2',
  'inventory set-price': ' 20',
};
const BEFORE: Readonly<Record<string, string>> = { 'clock until': 'order ' };

const WITH_ID = COMMANDS.filter(
  ({ path, args = {} }) =>
    path === 'clock until' ||
    (path !== 'golive clear' && Object.values(args).some(({ fields }) => fields.length > 0)),
);

test.each(WITH_ID.map(({ path }) => path))(
  '%s names its argument if what it names does not exist',
  async (path) => {
    const run = commandLine(await sandbox());
    const id = path.startsWith('inventory') ? 'none.com' : 'none_1';
    const { code, stderr } = await run(`${path} ${BEFORE[path] ?? ''}${id}${REQUIRED[path] ?? ''}`);
    expect([1, 2]).toContain(code);
    expect(stderr).toMatch(
      /^error: <[a-z-]+>: .*(?:not found|not in|no registration|unknown item)/,
    );
  },
);

test.each([
  ['faults add --event order.settled --status 500', '--event: is for faults of webhooks'],
  ['faults add --event order.settled --status 500', 'has --method, --path, --domain, --key'],
  [
    'faults add --nth 2 --every 2 --status 500',
    '--nth: nth is one match; leave out --first, --every',
  ],
  ['faults add --delay-when after', '--delay-when: requires --delay\n'],
  ['faults add --drop before --code rate_limited', '--drop: a closed connection has no response'],
  [
    'faults add --code rate_limited --webhook drop',
    '--webhook: a fault applies to requests or to webhooks; leave out',
  ],
  ['faults add --status 503', '--status: the API returns no error 503'],
  ['faults add', 'missing what to inject; pass --status, --code, --delay'],
  ['orders list --cursor nonsense', '--cursor: invalid'],
  ['orders list --world w9', '--world: world "w9" not found'],
  ['settlements run --partner ptr_none', '--partner: partner ptr_none not found'],
  ['worlds create w2 --fork w9', '--fork: world "w9" not found'],
  ['worlds create w2 --fork default --seed 1', 'pass either --fork or --seed'],
  ['worlds create default', '<name>: world "default" already exists'],
  ['inventory add new-name.com --price 10 --floor 20', '--floor: 2000 is more than the price'],
  ['inventory add none --price 10', '<domain>: must be a host name'],
  ['clock set 2020-01-01', '<to>: is before the sandbox clock'],
  ['credentials create --key-id "a b"', '--key-id: must be letters, digits'],
  ['webhooks fire order.settled --order ord_none', '--order: order ord_none not found'],
  ['webhooks fire order.settled', 'pass --url and --secret, or register'],
  ['webhooks unregister --env LIVE', '--env: no registration matches'],
  ['requests list --status 9', '--status: must be a status such as 404'],
  ['wait event order.settled --timeout 0s --for x --world w9', '--world: world "w9" not found'],
  ['request GET /api/partner/v1/orders --as dmk_none', '--as: credential dmk_none not found'],
])('an error about a field of the control API names the option: %s', async (line, message) => {
  const run = commandLine(await sandbox());
  const { code, stderr } = await run(line);
  expect([1, 2]).toContain(code);
  expect(stderr).toContain(message);
});

test('the buyer of a checkout is named by its options', async () => {
  const at = await sandbox();
  const response = await at.call({
    method: 'POST',
    target: '/api/partner/v1/checkout-session',
    body: { domain: 'held-order.test' },
  });
  const { session_id } = (await response.json()) as { session_id: string };
  const { stderr } = await commandLine(at)(`checkout pay ${session_id} --email nobody`);
  expect(stderr).toContain('error: --email: must be an email address');
});
