import { expect, test } from 'vitest';
import { deliveriesOf, withAttempt } from '../support/receiver.ts';
import { commandLine } from './command-line.ts';

test.each([
  [401, true],
  [403, true],
  [500, false],
])('webhooks show after the response %i hints at another secret: %s', async (status, hinted) => {
  const { at, hook } = await withAttempt((reply) => reply.writeHead(status).end('\u001b[31m'));
  const [delivery] = await deliveriesOf(at);
  const { stdout } = await commandLine(at)(`webhooks show ${delivery?.delivery_id}`);
  expect(stdout.includes('it probably has another secret. Compare its secret')).toBe(hinted);
  // The payload is printed once: as the bytes that are signed.
  expect(stdout).toContain(hook.received[0]?.body);
  expect(stdout.match(/sale_price_cents/g)).toHaveLength(1);
  // A receiver does not color what follows.
  expect(stdout).toContain('\n\\u001b[31m\n');
});
