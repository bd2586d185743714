import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Campaign, Size } from '../campaign.ts';
import { Partner } from '../partner.ts';
import { Random } from '../random.ts';
import { emptyFolder, inWorkspace, listAll, type Server, type Workspace } from '../server.ts';

/** Large enough that threads copy and seed the database. */
const INVENTORY = { full: 60_000, short: 21_000 };
/** More than a settlement run settles in one transaction. */
const ORDERS = { full: 500, short: 40 };
const IMPORTED = { full: 20_000, short: 5_000 };
const argsOf = (size: Size) => ['--inventory', String(INVENTORY[size]), '--no-rate-limits'];
const SALE = {
  domain: 'auto-complete.test',
  expected_price: 199_900,
  currency: 'USD',
  buyer: { email: 'a@b.co' },
};

type Operation = (server: Server, exported: string, size: Size) => Promise<unknown>;

const OPERATIONS: Record<string, Operation> = {
  reset: ({ control }) => control.post('/reset'),
  restore: ({ control }) => control.post('/snapshots/saved/restore'),
  fork: ({ control }) => control.post('/worlds', { name: 'forked', fork: 'default' }),
  save: ({ control }) => control.post('/snapshots', { name: 'saved', replace: true }),
  settlement: ({ control }) => control.post('/settlements/run'),
  'world import': ({ control }, exported) =>
    control.upload('/worlds/import', {}, new Blob([fs.readFileSync(exported)]).stream()),
  'inventory import': (server, _, size) => importRows(server, 'add', size),
  'inventory replacement': (server, _, size) => importRows(server, 'replace', size),
};

function csv(length: number): string {
  const rows = Array.from({ length }, (_, n) => `imported-${n}.com,${1_000 + n}`);
  return `domain,price_cents\n${rows.join('\n')}\n`;
}

function importRows({ control }: Server, mode: string, size: Size) {
  const body = new Blob([csv(IMPORTED[size])]).stream();
  return control.upload('/inventory/import', { format: 'csv', mode }, body);
}

/** Kills a server in the middle of an operation on a large world; the next start must find all of it or nothing. */
export const largeOperations: Campaign = {
  name: 'large-operations',
  async run({ seed, size }) {
    const random = new Random('large-operations', seed);
    const origin = emptyFolder();
    const findings: string[] = [];
    let [kills, answered] = [0, 0];
    try {
      const exported = path.join(origin, 'exported.db');
      const before = await inWorkspace(
        (workspace) => prepare(workspace, size, exported),
        path.join(origin, 'first'),
      );
      const names =
        size === 'full' ? Object.keys(OPERATIONS) : [random.pick(Object.keys(OPERATIONS))];
      for (const name of names) {
        const run = (wait?: number) =>
          inWorkspace((workspace) => {
            fs.cpSync(path.join(origin, 'state'), path.join(workspace.dir, 'state'), {
              recursive: true,
            });
            return killDuring(workspace, size, OPERATIONS[name] as Operation, exported, wait);
          });
        const whole = await run();
        for (let round = 0; round < (size === 'full' ? 25 : 1); round += 1) {
          const wait = Math.round(random.next() * whole.took);
          const { done, found } = await run(wait);
          kills += 1;
          if (done) answered += 1;
          const expected = done ? [whole.found] : [before, whole.found];
          if (!expected.includes(found)) {
            findings.push(
              `${name}, killed after ${wait} ms: ${found}, not ${expected.join(' or ')}`,
            );
          }
        }
      }
    } finally {
      fs.rmSync(origin, { recursive: true, force: true });
    }
    return {
      figures: { 'kills during an operation': kills, 'of them answered first': answered },
      findings,
    };
  },
};

/** Leaves the state that every round begins with. @returns its summary */
async function prepare(workspace: Workspace, size: Size, exported: string): Promise<string> {
  const server = await workspace.start({ args: argsOf(size) });
  const { control, url } = server;
  const partner = new Partner(url);
  await control.post('/snapshots', { name: 'saved' });
  await control.post('/worlds', { name: 'elsewhere', fork: 'default' });
  const stream = await control.download('/worlds/elsewhere/export');
  fs.writeFileSync(exported, new Uint8Array(await new Response(stream).arrayBuffer()));
  await control.delete('/worlds/elsewhere');
  for (let n = 0; n < ORDERS[size]; n += 1) {
    const { status, text } = await partner.call('POST', '/v1/orders', SALE, {
      'Idempotency-Key': `order-${n}`,
    });
    if (status !== 201) throw new Error(`an order got ${status} ${text}`);
  }
  await control.post('/clock/advance', { by: '1m' });
  const before = await summaryOf(server);
  await server.stop();
  fs.renameSync(path.join(workspace.dir, 'state'), path.join(workspace.dir, '..', 'state'));
  return before;
}

/** @param wait until the kill, in ms; undefined waits for the response */
async function killDuring(
  workspace: Workspace,
  size: Size,
  operation: Operation,
  exported: string,
  wait: number | undefined,
) {
  const first = await workspace.start({ args: argsOf(size) });
  const begun = performance.now();
  const responded = operation(first, exported, size).then(
    () => true,
    () => false,
  );
  if (wait === undefined) await responded;
  else await sleep(wait);
  const took = performance.now() - begun;
  await first.kill();
  const done = await responded;
  const second = await workspace.start({ args: argsOf(size) }).catch((error: Error) => error);
  if (second instanceof Error) return { done, took, found: `no start: ${second.message}` };
  await second.control.post('/idle', { timeout_ms: 60_000 });
  const found = await summaryOf(second);
  const code = await second.stop();
  return {
    done,
    took,
    found: `${found}${leftovers(workspace.dir)}${code === 0 ? '' : ', no clean end'}`,
  };
}

/** Says of every world how many domains it lists and how many orders it has in each state. */
async function summaryOf({ control }: Server): Promise<string> {
  const { worlds, unusable_worlds } = await control.get<{
    worlds: string[];
    unusable_worlds: object[];
  }>('/status');
  const texts = await Promise.all(
    worlds.toSorted().map(async (name) => {
      const world = control.in(name);
      const { inventory } = await world.get<{ inventory: object }>('/status');
      const states = (await listAll<{ status: string }>(world, '/orders', 'orders'))
        .map(({ status }) => status)
        .sort();
      const counts = [...new Set(states)].map(
        (state) => `${states.filter((each) => each === state).length} ${state}`,
      );
      return `${name}: ${JSON.stringify(inventory)} ${counts.join(', ')}`;
    }),
  );
  return [...texts, ...unusable_worlds.map((each) => JSON.stringify(each))].join('; ');
}

/** Temporary files that the start should have removed. */
function leftovers(dir: string): string {
  const state = path.join(dir, 'state');
  const names = fs.readdirSync(state, { recursive: true, encoding: 'utf8' });
  return names
    .filter((name) => /\.db\.(?:new|next|old)/.test(name))
    .map((name) => `, ${name} was left behind`)
    .join('');
}
