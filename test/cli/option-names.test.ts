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
  'inventory set-price': ' 20',
};
const BEFORE: Readonly<Record<string, string>> = { 'clock until': 'order ' };

const WITH_ID = COMMANDS.filter(
  ({ path, args = {} }) =>
    path === 'clock until' || Object.values(args).some(({ fields }) => fields.length > 0),
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

// Other errors about a field are in golden/mistakes.txt.
test('an event without a receiver names the options of one', async () => {
  const { code, stderr } = await commandLine(await sandbox())('webhooks fire order.settled');
  expect(code).toBe(1);
  expect(stderr).toContain('pass --url and --secret, or register');
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
