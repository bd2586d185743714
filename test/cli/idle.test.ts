import { expect, test } from 'vitest';
import { orderFor } from '../support/orders.ts';
import { receiver, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

const IDLE = 'Idle: no webhook is being delivered and nothing is due\n';

test('idle names the deliveries that wait for a retry, and only --strict exits 1', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  await register(shop, (await receiver(500)).url);
  expect(await run('idle --strict')).toMatchObject({ code: 0, stdout: IDLE });
  await orderFor(shop);
  await shop.idle();
  const { upcoming } = (await run('clock upcoming --json')).json<{ upcoming: { at: string }[] }>();
  const line = `1 delivery waits for the next attempt, due ${upcoming[0]?.at} (sandbox time)`;
  expect(await run('idle')).toMatchObject({ code: 0, stdout: `${IDLE}${line}\n`, stderr: '' });
  const strict = await run('idle --strict');
  expect(strict).toMatchObject({ code: 1, stdout: `${IDLE}${line}\n` });
});

test('idle --strict exits 1 after a delivery has failed', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  await register(shop, (await receiver(500)).url);
  await orderFor(shop);
  await run('clock advance 2d');
  expect(await run('idle --strict')).toMatchObject({
    code: 1,
    stdout: `${IDLE}1 delivery failed\n`,
  });
  expect((await run('idle --strict --json')).json()).toMatchObject({
    idle: true,
    pending_deliveries: 0,
    failed_deliveries: 1,
  });
});
