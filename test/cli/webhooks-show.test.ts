import { expect, test } from 'vitest';
import { deliveriesOf, withAttempt } from '../support/receiver.ts';
import { commandLine } from './command-line.ts';

test.each([
  [401, true],
  [403, true],
  [500, false],
])(
  'webhooks show of a delivery that got %i says that the secret may differ: %s',
  async (status, hinted) => {
    const { at, hook } = await withAttempt(status);
    const [delivery] = await deliveriesOf(at);
    const { stdout } = await commandLine(at)(`webhooks show ${delivery?.delivery_id}`);
    expect(stdout.includes('it probably has another secret. Compare its secret')).toBe(hinted);
    // The payload is printed once: as the bytes that are signed.
    const [received] = hook.received;
    expect(stdout).toContain(received?.body);
    expect(stdout.match(/sale_price_cents/g)).toHaveLength(1);
  },
);
