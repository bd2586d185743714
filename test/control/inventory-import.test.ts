import http from 'node:http';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { anyText } from '../support/any-text.ts';
import { mintLive, orderFor } from '../support/orders.ts';
import { answered } from '../support/responses.ts';
import { sandbox, sandboxOnDisk } from '../support/sandbox.ts';
import { found } from '../support/search.ts';
import { digestOf, stateFolder } from '../support/state-folder.ts';
import { sharedWatched } from '../support/unchanged.ts';

interface Counts {
  rows: number;
  added: number;
  removed: number;
}
type Query = Record<string, string>;

function bodyOf(...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(pieces.map((piece) => Buffer.from(piece as string)));
}

function load(at: InProcessSandbox, body: string | Uint8Array, query: Query = {}): Promise<Counts> {
  return at.control.upload('/inventory/import', { format: 'csv', ...query }, bodyOf(body));
}

interface Row {
  domain: string;
  price_cents: number;
}

/** The newest listings of an environment, oldest first. */
async function rowsOf(at: InProcessSandbox, query: Query): Promise<Row[]> {
  const all = { limit: 100, ...query };
  const { listings } = await at.control.get<{ listings: Row[] }>('/inventory', all);
  return listings.toReversed();
}

const HEADER = 'domain,price_cents,floor_price_cents,keywords,description\n';

describe('an import', () => {
  test('makes LIVE sellable', async () => {
    const at = await sandbox({ rateLimits: false });
    const live = await mintLive(at);
    const header = `${HEADER.trim()},environment,available,tld,length`;
    const csv = `${header}\nZebrapilot.com,10000,,"quokka; numbat","Says ""hello"", twice",LIVE,no,x,1\r\nb.de,5,4,,,,,,`;
    expect(await load(at, csv, { environment: 'LIVE' })).toEqual({
      environment: 'LIVE',
      mode: 'add',
      format: 'csv',
      rows: 2,
      added: 2,
      removed: 0,
    });
    expect(
      await at.control.get('/inventory/zebrapilot.com', { environment: 'LIVE' }),
    ).toMatchObject({
      floor_price_cents: 8_000,
      keywords: ['quokka', 'numbat'],
      description: 'Says "hello", twice',
      category: 'Other',
    });
    expect(await found(at, 'zebra', live)).toEqual(['zebrapilot.com']);
    const sold = { domain: 'zebrapilot.com', price_cents: 10_000, currency: 'USD' };
    await orderFor(at, sold, live);
  });

  test('reads JSON Lines by their content type, in chunks of any size', async () => {
    const at = await sandbox({ inventory: 0 });
    const lines = '{"domain":"a.com","price_cents":100}\n\n{"domain":"münchen.de","price_cents":7}';
    const pieces = Array.from(Buffer.from(lines), (byte) => Uint8Array.of(byte));
    const response = await at.fetch('/_sandbox/inventory/import', {
      method: 'POST',
      headers: { 'Content-Type': 'Application/X-NDJSON; charset=utf-8' },
      body: bodyOf(...pieces),
      duplex: 'half',
    });
    expect(await answered(response, 200)).toMatchObject({ format: 'ndjson', rows: 2, added: 2 });
    expect(await at.control.get('/inventory/münchen.de')).toMatchObject({
      domain: 'xn--mnchen-3ya.de',
    });
  });

  test('replaces an inventory whole', async () => {
    const at = await sandbox({ rateLimits: false });
    const order = await orderFor(at);
    const counts = await load(at, `${HEADER}zebra.com,100,,,\n`, { mode: 'replace' });
    expect(counts).toMatchObject({ added: 1 });
    expect(counts.removed).toBeGreaterThan(300);
    const { inventory } = await at.control.get<{ inventory: object }>('/status');
    expect(inventory).toMatchObject({ SANDBOX: { listed: 1, sold: 0 } });
    expect(await found(at, 'zebra')).toEqual(['zebra.com']);
    expect(await found(at, 'magic')).toEqual([]);
    await at.control.post(`/orders/${order.public_id}/advance`, { action: 'refund' });
  });
});

describe('a file with bad lines', async () => {
  const { at, controlRejected } = await sharedWatched({ inventory: 5 });

  const csv = (rows: string) => HEADER + rows;
  const LISTING = '"domain":"a.com","price_cents":1';

  test.each<[message: string, body: string | Uint8Array]>([
    ['line 3: price_cents: is required', csv('a.com,1,,,\nb.com,,,,\n')],
    ['line 2: price_cents: must be a whole number of cents', csv('a.com,1999.00,,,\n')],
    ['line 2: domain: must be a host name', csv('x,1,,,\n')],
    ['line 2: has 2 fields, the header 5', csv('a.com,1\n')],
    ['line 2: a quote is inside a field', csv('a.com,1,,"x"y,\n')],
    ['line 3: a quote is inside a field, or is never closed', csv('a.com,1,,,\nb.com,1,,"x\n\n')],
    ['line 2: a quote is inside', csv(`a.com,1,,,"${'x\n'.repeat(300_000)}`)],
    ['line 2: a quote is inside', csv(`a.com,1,,,"${'""'.repeat(4_000_000)}`)],
    ['line 5: domain', csv('a.com,"1\n\n",,,\nb,1,,,')],
    ['line 2: domain: held-order.test is', csv('held-order.test,1,,,')],
    ['line 3: domain: a.com is already on an earlier line', csv('a.com,1,,,\nA.com,1,,,')],
    ['line 2: floor_price_cents', csv('a.com,1,2,,')],
    ['line 1: unknown column "price"', 'domain,price\n'],
    ['line 1: duplicate column domain', 'domain,domain\n'],
    ['line 1: the header lacks price_cents', 'domain\na.com\n'],
    ['line 1: the header is missing', '\n'],
    ['body: is empty', ''],
    ['line 3: not valid UTF-8', Buffer.from(csv('\xef\xbf\xbd,1,,,\n\xff'), 'latin1')],
  ])('of CSV is rejected with "%s"', async (message, body) => {
    await expectRejected('csv', body, message);
  });

  test.each([
    ['line 2: not valid JSON; nothing was imported', `{${LISTING}}\n{\n[]\n`],
    ['line 1: not valid JSON', `{"domain":"${'x'.repeat(300_000)}`],
    ['line 2: must be a JSON object', '\n[]\n'],
    ['line 1: unknown field "x"', `{${LISTING},"x":1}`],
    ['line 1: unknown field "__proto__"', `{${LISTING},"__proto__":{}}`],
    ['line 1: environment: is LIVE', `{${LISTING},"environment":"LIVE"}`],
  ])('of JSON Lines is rejected with "%s"', async (message, body) => {
    await expectRejected('ndjson', body, message);
  });

  async function expectRejected(format: string, body: string | Uint8Array, message: string) {
    const rejected = await controlRejected(() => load(at, body, { format }));
    expect(rejected.code).toBe('validation_error');
    expect(rejected.message).toContain(message);
    expect(await at.control.get('/health')).toEqual({ status: 'ok' });
  }

  test('needs a format that is known', async () => {
    const code = 'validation_error';
    for (const query of [{ format: 'xml' }, { mode: 'merge' }, { environment: 'TEST' }]) {
      await expect(load(at, HEADER, query as Query)).rejects.toMatchObject({ code });
    }
    const body = new Blob([HEADER], { type: 'constructor' });
    const response = await at.fetch('/_sandbox/inventory/import', { method: 'POST', body });
    const message = expect.stringContaining('?format=csv');
    expect(await response.json()).toMatchObject({ error: { code, message } });
  });
});

/** An import that has sent its first rows, and waits. */
async function halfWay(at: InProcessSandbox) {
  const pipe = new TransformStream<Uint8Array, Uint8Array>();
  const writer = pipe.writable.getWriter();
  const outcome = at.control
    .upload<Counts>('/inventory/import', { format: 'csv' }, pipe.readable)
    .catch((error: unknown) => error);
  await writer.write(Buffer.from(`${HEADER}zebra1.com,1,,,\nzebra2.com,1,,,\n`));
  await at.control.get('/health');
  return { writer, outcome };
}

describe('while a file is read', () => {
  test.each<[condition: string, act: (at: InProcessSandbox) => Promise<unknown>]>([
    ['others go on', (at) => orderFor(at)],
    ['a reset of its world does not stop it', (at) => at.reset()],
  ])('nothing of it is seen, and %s', async (_condition, act) => {
    const at = await sandbox({ rateLimits: false });
    const { writer, outcome } = await halfWay(at);
    await act(at);
    expect(await found(at, 'zebra1')).toEqual([]);
    await writer.close();
    expect(await outcome).toMatchObject({ added: 2 });
    expect(await found(at, 'zebra1')).toEqual(['zebra1.com']);
  });

  test('a domain that is added elsewhere lets all of it fail', async () => {
    const at = await sandbox({ rateLimits: false });
    const { writer, outcome } = await halfWay(at);
    await at.control.post('/inventory', { domain: 'zebra2.com', price_cents: 5 });
    await writer.close();
    const message = expect.stringContaining('line 3: domain: zebra2.com is already in the SANDBOX');
    expect(await outcome).toMatchObject({ code: 'validation_error', message });
    expect(await found(at, 'zebra1')).toEqual([]);
    expect(await found(at, 'zebra2')).toEqual(['zebra2.com']);
  });

  test('of two imports of the same domains, one imports all and the other nothing', async () => {
    const at = await sandbox({ inventory: 5 });
    const file = (cents: number) =>
      HEADER + Array.from({ length: 1_200 }, (_, n) => `zebra${n}.com,${cents},,,\n`).join('');
    const results = await Promise.allSettled([load(at, file(1_000)), load(at, file(2_000))]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await at.control.get('/inventory', { q: 'zebra' })).toMatchObject({ total: 1_200 });
    const rows = await rowsOf(at, { q: 'zebra' });
    expect(new Set(rows.map(({ price_cents }) => price_cents)).size).toBe(1);
  });

  test('a deletion of its world ends it', async () => {
    const at = await sandbox({ rateLimits: false, dataDir: stateFolder() });
    await at.control.post('/worlds', { name: 'w1' });
    const { writer, outcome } = await halfWay({ ...at, control: at.control.in('w1') });
    await at.control.delete('/worlds/w1');
    await writer.close().catch(() => {});
    expect(await outcome).toMatchObject({ code: 'not_found' });
    expect(await at.control.get('/health')).toEqual({ status: 'ok' });
  });

  test('a client that disconnects leaves nothing open', async () => {
    const { dataDir, at } = await sandboxOnDisk({ port: 0 });
    const before = digestOf(dataDir);
    const request = http.request(`${at.url}/_sandbox/inventory/import?format=csv`, {
      method: 'POST',
    });
    request.on('error', () => {});
    await new Promise((sent) => request.write(`${HEADER}zebra1.com,1,,,\n`, sent));
    // The server reads in turn what has arrived.
    await fetch(`${at.url}/_sandbox/health`);
    request.destroy();
    await fetch(`${at.url}/_sandbox/health`);
    expect(digestOf(dataDir)).toBe(before);
    expect(await load(at, `${HEADER}zebra1.com,1,,,\n`)).toMatchObject({ added: 1 });
  });
});

describe('the rows of a file', () => {
  const text = fc
    .string({ unit: 'grapheme', maxLength: 40 })
    .map((each) => each.replace(/\p{Cc}/gu, ''));
  const keyword = text
    .map((each) => each.replace(/[,;]/g, '').trim())
    .filter((each) => each !== '');
  const row = fc.record({
    domain: fc
      .tuple(fc.stringMatching(/^[a-z][a-z0-9]{0,12}$/), fc.constantFrom('com', 'co.uk', 'test'))
      .map((parts) => parts.join('.')),
    price_cents: fc.integer({ min: 10, max: 1e12 }),
    floor_price_cents: fc.integer({ min: 1, max: 10 }),
    currency: fc.constant('USD'),
    category: text.filter((each) => each.trim() !== ''),
    keywords: fc.array(keyword, { maxLength: 4 }),
    description: fc.oneof(text, fc.constantFrom('"', ',"x"', ' a ', '\ufeff', '\ufffd')),
    status: fc.constantFrom('listed', 'sold'),
  });
  const rows = fc.uniqueArray(row, { selector: ({ domain }) => domain, maxLength: 8 });

  const cell = (value: string | number | string[]) =>
    `"${String(Array.isArray(value) ? value.join(';') : value).replaceAll('"', '""')}"`;
  const fileOf = {
    csv: (listings: object[]) =>
      [Object.keys(listings[0] ?? { domain: '', price_cents: 0 }), ...listings.map(Object.values)]
        .map((cells) => `${cells.map(cell).join(',')}\n`)
        .join(''),
    ndjson: (listings: object[]) => listings.map((each) => `${JSON.stringify(each)}\n`).join(''),
  };

  test.each(['csv', 'ndjson'] as const)('as %s are listed as they are', async (format) => {
    const at = await sandbox({ inventory: 0 });
    const live = { environment: 'LIVE' };
    await fc.assert(
      fc.asyncProperty(rows, async (wanted) => {
        await load(at, `${fileOf[format](wanted)}\n`, { ...live, mode: 'replace', format });
        expect(await rowsOf(at, live)).toMatchObject(wanted);
      }),
      { numRuns: 12 },
    );
  });
});

test('an import of any input imports all or nothing', async () => {
  const { dataDir, at } = await sandboxOnDisk({ inventory: 0 });
  const piece = fc.oneof(
    fc.constantFrom('domain', 'price_cents', 'a.com', '1', '"', '""', ',', '\n', '\r\n', '{', '}'),
    fc.constantFrom('{"domain":"b.com","price_cents":2}\n', HEADER, 'c.com,1,,,\n', '\0', '\ufeff'),
    anyText({ maxLength: 5 }),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 12 }),
      fc.constantFrom('csv', 'ndjson'),
      fc.boolean(),
      async (pieces, format, withHeader) => {
        await load(at, `${HEADER}\n`, { mode: 'replace' });
        const before = digestOf(dataDir);
        const body = (withHeader && format === 'csv' ? HEADER : '') + pieces.join('');
        const outcome = await load(at, body, { format }).catch((error: unknown) => error);
        if (outcome instanceof Error) {
          expect(outcome).toMatchObject({ code: 'validation_error' });
          expect(digestOf(dataDir)).toBe(before);
        } else {
          const { rows } = outcome as Counts;
          const { inventory } = await at.control.get<{
            inventory: { SANDBOX: { listed: number; sold: number } };
          }>('/status');
          expect(inventory.SANDBOX.listed + inventory.SANDBOX.sold).toBe(rows);
        }
      },
    ),
    { numRuns: 25 },
  );
});
