import Database, { type Statement } from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ENDPOINTS } from '../../src/api/index.ts';
import type { InProcessSandbox } from '../../src/index.ts';
import { CONTROL_ENDPOINTS } from '../support/control-endpoints.ts';
import { recordControlCalls, runFullScenario, TOOL_SCENARIOS } from '../support/full-scenario.ts';
import { receiver } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { stateFolder, worldFileIn } from '../support/state-folder.ts';

/** Tables with a row for everything that happens, and the inventory, which may have a million. */
const GROWING = [
  ...['orders', 'order_timeline', 'quotes', 'refunds', 'scheduled_moves', 'idempotency_keys'],
  ...['transactions', 'ledger', 'payouts', 'settlement_periods', 'checkout_sessions'],
  ...['brokerage_cases', 'case_timeline', 'links', 'clicks', 'listings'],
  ...['events', 'deliveries', 'delivery_attempts'],
];

/** Columns that say whose a row is or of what kind, not which one: what they leave grows with the world. */
const BROAD = [
  ...['partner_id', 'environment', 'status', 'type', 'payment_model', 'kind', 'closed'],
];

/** Indexes of what waits to be done: they are as large as that, however long the history is. */
const SCHEDULES = [
  ...['deliveries_owed', 'deliveries_held', 'scheduled_moves_due'],
  ...['orders_unsettled', 'periods_unclosed', 'periods_settling', 'transactions_payable'],
];

/** Statements that may read much, and why. */
const EXCEPTIONS: Readonly<Record<string, RegExp>> = {
  'operators list the inventory, last added first, by what no index has':
    /from "listings" where .* order by "listings"\."id" desc limit/,
  'operators list what partners have, newest first, by what no index has':
    /from "(quotes|checkout_sessions|orders|brokerage_cases|settlement_periods|payouts)" where .* order by "\1"\."id" desc limit/,
  'a list of sales has those of both tables, and their totals':
    /^select "id", "created_at" from \(|^select count\(\*\), coalesce\(sum\("sale_price_cents"/,
  'operators list events by type, of which there are seven':
    /from "events" where \(?"events"\."type" = \?.* order by "events"\."id" desc limit/,
  'find looks for a text in events and deliveries':
    /from "(events|deliveries)" where .* LIKE .* order by "\1"\."id" desc limit/s,
  'a list of the control API says how many there are':
    /^select count\(\*\) from ("(quotes|checkout_sessions|orders|brokerage_cases|settlement_periods|payouts|events|deliveries)"|\(select .*\) "sales"$)/,
  'waiting counts what is there, and tells what came nearest':
    /^select (count\(\*\)|"events"\."id"|"id", "type", "subject_id"|"deliveries"\."id").* from "(events|deliveries)" (where|order|inner join "events")/,
  'clicks are counted by day from an index only':
    /^select "at" \/ 86400000, count\(\*\) from "clicks"/,
  'an import in mode replace removes all listings of an environment':
    /^DELETE FROM listings WHERE environment = \?$/,
  'a list of the inventory says how many there are, and payouts are summed up':
    /^select (count\(\*\) from "listings"|coalesce\(sum\("amount_cents"\), 0\) from "payouts") where/,
  'operators list deliveries by status, of which there are three':
    /from "deliveries" where "deliveries"\."status" = '.* order by "deliveries"\."id" desc limit/,
  'the status counts orders and listings by state':
    /^select ("environment", )?"status", count\(\*\) from "(orders|listings)" group by /,
  'the first request copies what a fresh world has beside its inventory': /^SELECT \* FROM \w+$/,
  ...Object.assign({}, ...TOOL_SCENARIOS.map((tool) => tool.EXCEPTIONS)),
};

/** What is read, of a whole story told to a sandbox with its state in `dataDir`. */
async function statementsOfTheStory(dataDir: string): Promise<string[]> {
  const texts = new Set<string>();
  const database = new Database(':memory:');
  const prototype = Object.getPrototypeOf(database.prepare('SELECT 1')) as Statement;
  database.close();
  for (const name of ['run', 'get', 'all', 'iterate'] as const) {
    const original = prototype[name];
    const spy = vi.spyOn(prototype, name);
    spy.mockImplementation(function (this: Statement, ...values: unknown[]) {
      // The request log is a database of its own, which keeps the newest only.
      if (this.database.name.startsWith(worldFileIn(dataDir))) texts.add(this.source);
      return original.apply(this, values);
    } as typeof original);
    onTestFinished(() => spy.mockRestore());
  }
  const hook = await receiver();
  const { at, calls } = recordControlCalls(await sandbox({ dataDir, rateLimits: false }));
  await runFullScenario(at, hook.url);
  expect(await uncalled(at, calls), 'endpoints without an example').toEqual([]);
  await at.close();
  return [...texts].filter((text) => /^\s*(with|select|insert|update|delete)\b/i.test(text));
}

/** Those that change, stream or show pages, but read no more than what they are about. */
const UNTOLD = [
  ...['GET /health', 'POST /stop', 'GET /requests/stream', 'DELETE /requests', 'POST /reset'],
  ...['POST /clock/set', 'POST /clock/freeze', 'POST /clock/resume', 'GET /clock'],
  ...['POST /credentials/:key_id/approve', 'GET /worlds/:name', 'DELETE /worlds/:name'],
  ...['DELETE /snapshots/:name', 'DELETE /webhooks'],
  ...['GET /reference', 'GET /reference/assets/:version/:name'],
  // They copy and verify a whole world.
  ...['GET /worlds/:name/export', 'POST /worlds/import'],
  ...TOOL_SCENARIOS.flatMap(({ UNCALLED = [] }) => UNCALLED),
];

/** @param calls of the control API */
async function uncalled(
  { control }: InProcessSandbox,
  calls: readonly string[],
): Promise<string[]> {
  const seen = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await control.get<{
      requests: { method: string; endpoint: string | null }[];
      next_cursor: string | null;
    }>('/requests', { api: 'all', limit: 100, cursor });
    for (const { method, endpoint } of page.requests) seen.add(`${method} ${endpoint}`);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  const called = (name: string) => {
    const pattern = new RegExp(`^${name.replaceAll(/:\w+/g, '[^/]+')}$`);
    return calls.some((call) => pattern.test(call));
  };
  const nameOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;
  return [
    ...ENDPOINTS.map(nameOf).filter((name) => !seen.has(name)),
    ...CONTROL_ENDPOINTS.map(nameOf).filter((name) => !called(name) && !UNTOLD.includes(name)),
  ];
}

function planOf(db: Database.Database, text: string): string[] {
  const bare = text.replaceAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"/g, '');
  const names = [...bare.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, null]);
  const values =
    names.length > 0 ? [Object.fromEntries(names)] : bare.match(/\?/g)?.map(() => null);
  const rows = db.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...(values ?? []));
  return (rows as { detail: string }[]).map(({ detail }) => detail);
}

/** Steps of a plan whose cost grows with the world; none for a good one. */
function growingSteps(text: string, plan: readonly string[]): string[] {
  // How much a full-text search reads is told in its own tests.
  if (plan.some((step) => step.includes('VIRTUAL TABLE'))) return [];
  const limited = /\blimit\b/i.test(text);
  // Without a condition, the first rows of an order are all that is read.
  const unfiltered = limited && !/\bwhere\b/i.test(text.replaceAll(/\([^()]*limit[^()]*\)/gi, ''));
  const sorts = plan.includes('USE TEMP B-TREE FOR ORDER BY');
  return plan.filter((step) => {
    const [, verb, table = '', index = ''] =
      /^(SCAN|SEARCH) (\w+)(?: USING (?:COVERING )?INDEX (\w+))?/.exec(step) ?? [];
    if (verb === undefined || !GROWING.includes(table) || SCHEDULES.includes(index)) return false;
    if (sorts) return true;
    if (verb === 'SCAN') return !(unfiltered || (limited && isSubquery(plan, step)));
    const narrowed = [...step.matchAll(/(\w+)[=<>]/g)].map(([, column = '']) => column);
    return !limited && narrowed.length > 0 && narrowed.every((column) => BROAD.includes(column));
  });
}

function isSubquery(plan: readonly string[], step: string): boolean {
  return plan[plan.indexOf(step) - 1]?.startsWith('LIST SUBQUERY') ?? false;
}

test('no request reads a growing table completely', async () => {
  const dataDir = stateFolder();
  const statements = await statementsOfTheStory(dataDir);
  const db = new Database(worldFileIn(dataDir), { readonly: true });
  onTestFinished(() => void db.close());
  expect(statements.length).toBeGreaterThan(150);
  const bad = statements
    // The table of an import is gone with it.
    .filter((text) => !text.includes('temp.import_'))
    .map((text) => ({ text, steps: growingSteps(text, planOf(db, text)) }))
    .filter(({ steps }) => steps.length > 0);
  const unexcused = bad.filter(
    ({ text }) => !Object.values(EXCEPTIONS).some((pattern) => pattern.test(text)),
  );
  expect(unexcused, 'statements whose cost grows with the world').toEqual([]);
  const unneeded = Object.entries(EXCEPTIONS).filter(
    ([, pattern]) => !bad.some(({ text }) => pattern.test(text)),
  );
  expect(unneeded, 'exceptions that nothing needs').toEqual([]);
});

test.each([
  ['SELECT * FROM orders WHERE buyer_email = ?'],
  ['SELECT sum(delta_cents) FROM ledger WHERE partner_id = ? AND environment = ?'],
  ['SELECT * FROM orders WHERE partner_id = ? ORDER BY updated_at LIMIT 5'],
  ['SELECT * FROM events WHERE type = ? ORDER BY id DESC LIMIT 5'],
])('the rule finds fault with %s', async (text) => {
  const dataDir = stateFolder();
  await (await sandbox({ dataDir })).close();
  const db = new Database(worldFileIn(dataDir), { readonly: true });
  onTestFinished(() => void db.close());
  expect(growingSteps(text, planOf(db, text))).toHaveLength(1);
});
