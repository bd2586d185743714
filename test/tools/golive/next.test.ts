import { expect, test } from 'vitest';
import { loadCommands } from '../../../src/cli/modules.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import type { InProcessSandbox } from '../../../src/index.ts';
import { ITEMS } from '../../../src/tools/golive/items.ts';
import { makeNextSteps, nextLines } from '../../../src/tools/golive/next.ts';
import { TOOLS } from '../../../src/tools/index.ts';
import { commandLine } from '../../cli/command-line.ts';
import { orderFor } from '../../support/orders.ts';
import { receiver, register } from '../../support/receiver.ts';
import { sharedSandbox } from '../../support/sandbox.ts';
import { seededListing } from '../../support/seeded-listings.ts';
import { shellWords } from '../../support/shell-words.ts';

const TRIED = ITEMS.map(({ id, steps }) => ({ id, next: makeNextSteps(steps) })).filter(
  ({ next }) => next.commands.length > 0,
);

const silent = { write: () => true };
const streams = { stdout: silent, stderr: silent, error: (text: string) => text };
const program = buildProgram(await loadCommands(TOOLS), streams, async () => {});

test.each(TRIED)('the commands of $id are valid command lines', async ({ next: { commands } }) => {
  for (const line of commands) {
    await program.parseAsync(shellWords(line) ?? [], { from: 'user' });
  }
});

const shared = await sharedSandbox({ rateLimits: false });
/** They look at this machine, or send what the receiver of a test is not made for. */
const ELSEWHERE = /^(doctor|webhooks test)/;

test.each(TRIED)('the commands of $id succeed in their order', async ({ next: { commands } }) => {
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
  const { requests } = await sandbox.control.get<{ requests: { request_id: string }[] }>(
    '/requests',
  );
  return {
    orders,
    transactions,
    brokerage,
    events: events[0]?.id,
    checkout: open.session_id,
    requests: requests[0]?.request_id,
  };
}

test('commands come before the text that they lead to, and after the text that leads to them', () => {
  const lines = (...steps: string[]) => nextLines(makeNextSteps(steps, () => '/quotes'));
  expect(lines('sandlot a', 'Do it.', 'sandlot b')).toEqual([
    'sandlot a',
    'Do it. Then run: sandlot b',
  ]);
  expect(lines('Do it.', 'sandlot a', 'sandlot b', 'Read it.')).toEqual([
    'Do it. Then run: sandlot a',
    'sandlot b',
    'Read it.',
  ]);
  expect(lines('sandlot a', 'sandlot b', 'Do it.')).toEqual(['sandlot a', 'sandlot b', 'Do it.']);
  expect(lines('sandlot faults add --path P --times 1', 'Do it.')[0]).toBe(
    'sandlot faults add --path /quotes --times 1',
  );
});

test('the magic domains of an item are those that its text names', () => {
  const domains = (id: string) => TRIED.find((item) => item.id === id)?.next.domains;
  expect(domains('sale.lost_response')).toEqual(['lost-response.test']);
  expect(domains('hook.duplicate')).toEqual([]);
});
