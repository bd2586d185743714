import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { exampleId } from '../../src/cli/command.ts';
import { loadCommands } from '../../src/cli/modules.ts';
import type { CreateSandboxOptions, InProcessSandbox } from '../../src/index.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { checkoutFor } from '../support/checkout.ts';
import { caseFor } from '../support/money.ts';
import { orderBody, orderFor } from '../support/orders.ts';
import { receiver, register } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { stateFolder } from '../support/state-folder.ts';
import { type CommandLineOptions, commandLine, type Finished } from './command-line.ts';

export const MODULES = await loadCommands(TOOLS);
export const COMMANDS = MODULES.flatMap(({ commands }) => commands);

const FIRST_ORDER = exampleId('ord');
const FIRST_CASE = exampleId('brk');
const FIRST_FAULT = exampleId('flt');
const FIRST_SESSION = exampleId('cs');
const SECOND_TRANSACTION = exampleId('txn', 2);

/** They start servers or write files, and have tests of their own. */
export const ELSEWHERE = new Set([
  'start',
  'stop',
  'exec',
  'init',
  'explore',
  'webhooks test',
  'requests diff',
  'golive',
  'repro export',
  'repro show',
  'repro replay',
  'repro open',
  'repro minimize',
]);

/** The examples that are played, each with its command. */
export const PLAYED = COMMANDS.flatMap(({ path: command, examples: lines }) =>
  ELSEWHERE.has(command) ? [] : lines.map((line) => [command, line] as const),
);

/** Commands that need a delivery that has not arrived. */
const UNDELIVERED = new Set(['webhooks retry', 'clock next', 'clock upcoming']);

/** What has to be so before some commands can work. */
const FIRST: Record<
  string,
  (shop: InProcessSandbox, line: string, cwd: string) => Promise<unknown>
> = {
  'credentials approve': (shop) =>
    shop.control.post('/credentials', { key_id: 'dmk_live_acme', environment: 'LIVE' }),
  'clock until': (shop) =>
    shop.control.post(`/orders/${FIRST_ORDER}/advance`, { to: 'TRANSFER_COMPLETED' }),
  'orders clear': (shop) => shop.control.post(`/orders/${FIRST_ORDER}/advance`, { action: 'hold' }),
  'worlds create': saveSnapshot,
  'snapshots restore': saveSnapshot,
  'snapshots delete': saveSnapshot,
  'worlds delete': (shop) => shop.control.post('/worlds', { name: 'w1' }),
  'worlds export': (shop) => shop.control.post('/worlds', { name: 'w1' }),
  'worlds import': async (shop, _line, cwd) => {
    await shop.control.post('/worlds', { name: 'w1' });
    await commandLine(shop, { cwd })('worlds export w1 w1.db');
    await shop.control.delete('/worlds/w1');
  },
  'checkout pay': openCheckout,
  'checkout cancel': openCheckout,
  'transactions deliver': sellByCheckout,
  'transactions refund': sellByCheckout,
  'faults clear': async (shop) => {
    const made = await shop.control.post('/faults', { effect: { status: 500 } });
    expect(made).toMatchObject({ fault_id: FIRST_FAULT });
  },
  'brokerage advance': async (shop, line) => {
    expect(await caseFor(shop, 'wanted.com')).toMatchObject({ case_id: FIRST_CASE });
    const first = { to: 'NEGOTIATING' };
    if (line.includes('COMPLETED'))
      await shop.control.post(`/brokerage/${FIRST_CASE}/advance`, first);
  },
};

/** What came of playing an example, and the addresses in it that are another each time. */
export interface Played extends Finished {
  hookUrl: string;
  cwd: string;
}

interface Scene {
  run: ReturnType<typeof commandLine>;
  hookUrl: string;
  cwd: string;
}

interface SceneOptions {
  sandbox?: CreateSandboxOptions;
  io?: CommandLineOptions;
  onResponse?: (response: Response) => void;
}

/** Plays an example of a command in a world in which it makes sense. */
export async function play(
  command: string,
  line: string,
  more: SceneOptions = {},
): Promise<Played> {
  const { run, hookUrl, cwd } = await sceneFor(command, line, more);
  let finished: Finished | undefined;
  for (const part of partsOf(line)) {
    // Nothing of the test may depend on a port of this machine being free.
    const portable = part
      .replace('http://127.0.0.1:4020/', hookUrl)
      .replace('webhooks listen', 'webhooks listen --port 0')
      .replace('doctor', 'doctor --port 0');
    finished = await run(portable, { stdin: finished?.stdout ?? '' });
    expect(finished.stdout + finished.stderr).not.toBe('');
  }
  if (!finished) throw new Error(`no command in: ${line}`);
  return { ...finished, hookUrl, cwd };
}

/** Returns a command line next to a sandbox with an order, and a receiver of its event. */
export async function sceneFor(
  command: string,
  line: string,
  { sandbox: options, io, onResponse }: SceneOptions = {},
): Promise<Scene> {
  const hook = await receiver();
  if (UNDELIVERED.has(command)) hook.response = 500;
  const shop = await sandbox({ rateLimits: false, ...options });
  const cwd = await workingDirectory();
  await register(shop, hook.url);
  expect((await orderFor(shop)).public_id).toBe(FIRST_ORDER);
  await shop.idle();
  await FIRST[command]?.(shop, line, cwd);
  const fetch: InProcessSandbox['fetch'] = async (url, init) => {
    const response = await shop.fetch(url, init);
    onResponse?.(response.clone());
    return response;
  };
  return { run: commandLine(shop, { cwd, fetch, ...io }), hookUrl: hook.url, cwd };
}

async function saveSnapshot(shop: InProcessSandbox): Promise<void> {
  await shop.control.post('/snapshots', { name: 'before-sale' });
}

async function openCheckout(shop: InProcessSandbox): Promise<void> {
  const { domain } = await seededListing(2);
  expect(await checkoutFor(shop, { domain })).toMatchObject({ session_id: FIRST_SESSION });
}

async function sellByCheckout(shop: InProcessSandbox): Promise<void> {
  await openCheckout(shop);
  const sale = await shop.control.post(`/checkout-sessions/${FIRST_SESSION}/pay`);
  expect(sale).toMatchObject({ transaction_id: SECOND_TRANSACTION });
}

/** The files that examples name. */
async function workingDirectory(): Promise<string> {
  const cwd = stateFolder();
  const write = (name: string, text: string) => fs.writeFileSync(path.join(cwd, name), text);
  write('order.json', JSON.stringify(orderBody(await seededListing(1))));
  write('body.json', '{}');
  write('names.csv', 'domain,price_cents\nbrewpilot-one.com,199900\n');
  write('names.ndjson', '{"domain":"brewpilot-one.com","price_cents":199900}\n');
  return cwd;
}

/** The sandlot commands of a line, in the order in which a shell runs them. */
function partsOf(line: string): string[] {
  const inner = /^eval "\$\((.*)\)"$/.exec(line)?.[1] ?? line;
  return inner.split(' | ').map((part) => part.replace(/^sandlot /, ''));
}
