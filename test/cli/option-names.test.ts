import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

// Other errors about a field are in golden/mistakes.txt.
test('webhooks fire without a receiver names --url and --secret', async () => {
  const { code, stderr } = await commandLine(await sandbox())('webhooks fire order.settled');
  expect(code).toBe(1);
  expect(stderr).toContain('pass --url and --secret, or register');
});

test('an invalid email of a buyer is named by its option', async () => {
  const at = await sandbox();
  const response = await at.call({
    method: 'POST',
    target: '/api/partner/v1/checkout-session',
    body: { domain: 'held-order.test' },
  });
  const { session_id } = (await response.json()) as { session_id: string };
  const { code, stderr } = await commandLine(at)(`checkout pay ${session_id} --email nobody`);
  expect(code).toBe(2);
  expect(stderr).toContain('error: --email: must be an email address');
});
