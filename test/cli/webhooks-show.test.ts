import { expect, test } from 'vitest';
import { deliveriesOf, withAttempt } from '../support/receiver.ts';
import { commandLine } from './command-line.ts';

test.each([
  [401, 'it probably has another secret. Compare its secret'],
  [403, 'it probably has another secret. Compare its secret'],
  [308, 'Redirects are not followed. Register the final URL.'],
  [500, undefined],
])('webhooks show after the response %i says what to do: %s', async (status, hint) => {
  const { at, hook } = await withAttempt((reply) => reply.writeHead(status).end('\u001b[31m'));
  const [delivery] = await deliveriesOf(at);
  const { stdout } = await commandLine(at)(`webhooks show ${delivery?.delivery_id}`);
  const hints = stdout.match(/it probably has another secret\. Compare its secret|^Redirects .*/m);
  expect(hints?.[0]).toBe(hint);
  // The payload is printed once: as the bytes that are signed.
  expect(stdout).toContain(hook.received[0]?.body);
  expect(stdout.match(/sale_price_cents/g)).toHaveLength(1);
  // A receiver does not color what follows.
  expect(stdout).toContain('\n\\u001b[31m\n');
});
