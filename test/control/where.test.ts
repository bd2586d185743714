import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSandbox, type InProcessSandbox } from '../../src/index.ts';
import type { RequestDetail as Entry, LoggedRequest } from '../../src/requests/logged-request.ts';
import { commandLine } from '../cli/command-line.ts';
import { listed } from '../support/calls.ts';
import { type LongLog, writeLongLog } from '../support/long-log.ts';
import { requestQuote } from '../support/orders.ts';
import { INVENTORY, sandbox } from '../support/sandbox.ts';
import { stateFolder } from '../support/state-folder.ts';

type Is = (entry: Entry, log: LongLog) => boolean;

interface Found {
  requests: LoggedRequest[];
  total: number;
  next_cursor: string | null;
}

const isUnknown = ({ message }: Entry) => message?.startsWith('no such endpoint') ?? false;
const hasStep =
  (check: string, text: (log: LongLog) => string): Is =>
  (entry, log) =>
    entry.trace.some(
      (step) => step.check === check && JSON.stringify(step.detail).includes(text(log)),
    );
const names =
  (text: (log: LongLog) => string): Is =>
  ({ target, request, response }, log) =>
    [target, request.body, response.body].some((part) => part?.includes(text(log)));

/** Each filter, and what it means, told independently. Words in capitals stand for what is in the log. */
const FILTERS: [where: string, is: Is][] = [
  ['status:4xx', ({ status }) => Math.floor((status ?? 0) / 100) === 4],
  ['status:404', ({ status }) => status === 404],
  ['code:conflict', ({ code }) => code === 'conflict'],
  ['method:post', ({ method }) => method === 'POST'],
  ['path:/orders', ({ target }) => target.includes('/orders')],
  ['path:/v1/*coffee', ({ target }) => /\/v1\/.*coffee/.test(target)],
  ['order:ORDER', names(({ order }) => order.public_id)],
  ['domain:DOMAIN', names(({ other }) => other.domain)],
  ['key:KEY', ({ key_id }, { keyId }) => key_id === keyId],
  ['event:order.recorded', hasStep('event', () => 'order.recorded')],
  ['event:EVENT', hasStep('event', ({ eventId }) => eventId)],
  ['fault:yes', ({ fault }) => fault !== null],
  ['fault:no', ({ fault }) => fault === null],
  ['endpoint:unknown', isUnknown],
  ['took:>1ms', ({ duration_ms }) => duration_ms > 1],
  ['took:<1ms', ({ duration_ms }) => duration_ms < 1],
];

describe('a filter of requests', () => {
  let at: InProcessSandbox;
  let log: LongLog;
  let entries: Entry[];
  const dataDir = stateFolder(afterAll);

  beforeAll(async () => {
    log = await writeLongLog(dataDir);
    at = await createSandbox({ dataDir, inventory: INVENTORY, rateLimits: false });
    const rows = await listed<LoggedRequest>(at, 'requests', '/requests?api=all&limit=100');
    entries = await Promise.all(
      rows.map(({ request_id }) => at.control.get<Entry>(`/requests/${request_id}`)),
    );
  });
  afterAll(() => at?.close());

  const search = (where: string) =>
    at.control.get<Found>('/requests', { where, api: 'all', limit: 10 });
  const idsOf = (requests: readonly { request_id: string }[]) =>
    requests.map(({ request_id: id }) => id);

  async function expectFound(where: string, expected: Entry[]): Promise<void> {
    const found = await search(where);
    expect(found.total, where).toBe(expected.length);
    expect(idsOf(found.requests), where).toEqual(idsOf(expected.slice(0, 10)));
  }

  test('the log has 1,000 entries', () => {
    expect(entries).toHaveLength(1_000);
  });

  const written = (where: string) =>
    where
      .replace('ORDER', log.order.public_id)
      .replace('DOMAIN', log.other.domain.toUpperCase())
      .replace('KEY', log.keyId)
      .replace('EVENT', log.eventId);

  test.each(FILTERS.map(([where, is], n) => [where, n, is] as const))(
    '%s alone, negated, and with others, finds what it says in 1,000 entries',
    async (where, n, is) => {
      const given = written(where);
      const matches = (each: Entry) => is(each, log);
      const expected = entries.filter(matches);
      expect(expected.length).toBeGreaterThan(0);
      expect(expected.length).toBeLessThan(1_000);
      await expectFound(given, expected);
      const others = entries.filter((each) => !matches(each));
      await expectFound(`-${given}`, others);
      for (const [otherWhere, otherIs] of FILTERS.slice(n + 1)) {
        await expectFound(
          `${given} -${written(otherWhere)}`,
          entries.filter((each) => matches(each) && !otherIs(each, log)),
        );
      }
    },
  );

  test('since: is about sandbox time, as an age or a time', async () => {
    const timeOf = ({ at }: Entry) => Date.parse(at);
    const times = entries.map(timeOf).toSorted((a, b) => a - b);
    const middle = times[500] ?? 0;
    await expectFound(
      `since:${new Date(middle).toISOString()}`,
      entries.filter((entry) => timeOf(entry) >= middle),
    );
    await expectFound('since:10m', entries);
    await expectFound('-since:10m', []);
  });

  test.each(['status:4xx -path:/order', 'endpoint:unknown', 'path:"orders" method:POST'])(
    'HTTP, the command line and the page show the same for %s',
    async (where) => {
      const { requests, total } = await at.control.get<Found>('/requests', { where, limit: 50 });
      expect(total).toBeGreaterThan(50);
      const run = commandLine(at);
      const listed = await run(['requests', 'list', '--where', where, '--limit', '50', '--json']);
      expect(listed.json<Found>()).toMatchObject({ total, requests });
      const logs = await run(['logs', '--where', where, '--limit', '20', '--json']);
      const shown = logs.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as LoggedRequest);
      expect(idsOf(shown)).toEqual(idsOf(requests.slice(0, 20)).toReversed());
      const query = new URLSearchParams({ where });
      const page = await (await at.fetch(`${at.url}/_sandbox/dashboard/requests?${query}`)).text();
      expect([...page.matchAll(/data-key="(req_\w+)"/g)].map(([, id]) => id)).toEqual(
        idsOf(requests),
      );
      expect(page).toContain(`data-total="${total}"`);
    },
  );

  test('the second page goes on where the first ended, with the same total', async () => {
    const first = await search('endpoint:unknown');
    const next = {
      where: 'endpoint:unknown',
      api: 'all',
      limit: 10,
      cursor: first.next_cursor ?? '',
    };
    const second = await at.control.get<Found>('/requests', next);
    const expected = entries.filter(isUnknown);
    expect(second.total).toBe(first.total);
    expect(idsOf(second.requests)).toEqual(idsOf(expected.slice(10, 20)));
  });
});

describe('filters', () => {
  test('domain: finds a whole name', async () => {
    const at = await sandbox();
    for (const name of ['x.io', 'a-x.io', 'b.x.io', 'x.io.com']) await requestQuote(at, name);
    expect(await at.control.get('/requests', { where: 'domain:x.io' })).toMatchObject({ total: 1 });
  });

  const REQUESTS =
    'status, code, method, path, order, domain, key, event, fault, endpoint, since, took';

  test.each([
    [
      'statsu:4xx',
      `where: "statsu" is not a filter. Did you mean status? Filters are ${REQUESTS}, each as name:value`,
    ],
    ['coffee', `where: "coffee" is not a filter. Filters are ${REQUESTS}, each as name:value`],
    [
      'status:abc',
      'where: status:abc must be a status such as 404, a class such as 4xx, error, or closed',
    ],
    ['order:evt_1', 'where: order:evt_1 must be an order such as ord_…'],
    ['-domain:x', 'where: domain:x must be a domain such as x.io'],
    [
      'since:yesterday',
      'where: since:yesterday must be a duration such as 10m, or an ISO 8601 time',
    ],
    ['took:200ms', 'where: took:200ms must be > or < and a duration, such as >200ms'],
  ])(
    '%s is rejected with what is accepted, and the command line exits with 2',
    async (where, message) => {
      const at = await sandbox();
      await expect(at.control.get('/requests', { where })).rejects.toMatchObject({
        code: 'validation_error',
        message,
      });
      const { code, stderr } = await commandLine(at)(['requests', 'list', '--where', where]);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
    },
  );
});
