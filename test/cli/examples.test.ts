import { expect, test } from 'vitest';
import { exampleId } from '../../src/cli/command.ts';
import { orderFor } from '../support/orders.ts';
import { deadUrl, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { PLAYED, play } from './fixtures.ts';

/** Examples that show a check that fails; the receiver here accepts a forged webhook. */
const showsFailure = (line: string) => / verify | --bad-signature/.test(line);

test.each(PLAYED)('%s: %s', async (command, line) => {
  const { code } = await play(command, line);
  expect(showsFailure(line) ? [0, 1] : [0]).toContain(code);
});

test('the ids of the examples are those that a fresh sandbox gives out', async () => {
  const shop = await sandbox();
  await register(shop, await deadUrl());
  const { public_id: id } = await orderFor(shop);
  const { deliveries } = await shop.control.get<{ deliveries: object[] }>('/deliveries');
  expect(id).toBe(exampleId('ord'));
  expect(deliveries).toMatchObject([{ delivery_id: exampleId('dlv'), event_id: exampleId('evt') }]);
});
