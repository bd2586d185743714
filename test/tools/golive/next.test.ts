import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import { COMMAND_PREFIX, isCommand } from '../../../src/tools/golive/item.ts';
import { ITEMS } from '../../../src/tools/golive/items.ts';
import { commandLine } from '../../cli/command-line.ts';
import { orderFor } from '../../support/orders.ts';
import { receiver, register } from '../../support/receiver.ts';
import { loggedIds } from '../../support/request-log.ts';
import { sharedSandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';

const TRIED = ITEMS.flatMap(({ id, steps }) => {
  const commands = steps.filter(isCommand).map((step) => step.slice(COMMAND_PREFIX.length));
  return commands.length > 0 ? [{ id, commands }] : [];
});

const shared = await sharedSandbox({ rateLimits: false });
/** They look at this machine, or send what the receiver of a test is not made for. */
const ELSEWHERE = /^(doctor|webhooks test)/;

test.each(TRIED)('the commands of $id succeed in their order', async ({ commands }) => {
  await shared.control.post('/reset');
  const run = commandLine(shared);
  const hook = await receiver();
  await register(shared, hook.url);
  const ids = await newThings(shared);
  for (const line of commands.filter((each) => !ELSEWHERE.test(each))) {
    const [noun = ''] = line.split(' ');
    const { code, stderr } = await run(line.replace(' ID', ` ${ids[noun]}`));
    expect([line, code, stderr]).toEqual([line, 0, expect.anything()]);
  }
});

/** Creates an order, a paid checkout session … and returns their ids by the noun of their commands. */
async function newThings(sandbox: InProcessSandbox): Promise<Record<string, string | undefined>> {
  const post = async (path: string, body: object) => {
    const target = `/api/partner/v1${path}`;
    const response = await sandbox.call({ method: 'POST', target, body });
    return (await response.json()) as Record<string, string>;
  };
  const { public_id: orders } = await orderFor(sandbox);
  await sandbox.idle();
  const { events } = await sandbox.control.get<{ events: { id: string }[] }>('/events');
  const paid = await post('/checkout-session', { domain: 'held-order.test' });
  const { transaction_id: transactions } = await sandbox.control.post<{ transaction_id: string }>(
    `/checkout-sessions/${paid.session_id}/pay`,
  );
  const { domain } = await seededListing(2);
  const open = await post('/checkout-session', { domain });
  const deal = { tier: 'managed', buyer_email: 'a@b.co', budget: 500_000 };
  const { case_id: brokerage } = await post('/brokerage', { domain: 'wanted.com', ...deal });
  const [requests] = await loggedIds(sandbox);
  return {
    orders,
    transactions,
    brokerage,
    events: events[0]?.id,
    checkout: open.session_id,
    requests,
  };
}
