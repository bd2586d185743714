import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  bodyOf,
  bytesOf,
  type Repro,
  type ReproInput,
  reproJsonSchema,
} from '../../src/repro/format.ts';
import { readRepro } from '../../src/repro/read-repro.ts';
import { ReproFileError } from '../../src/repro/unpack.ts';
import { linesOfRepro, writeRepro } from '../../src/repro/write-repro.ts';
import { anyText } from '../support/any-text.ts';
import { ROOT } from '../support/sandlot-process.ts';
import { sampleRepro, sampleRequest, sampleStep } from './sample-repro.ts';

test('the published JSON Schema is that of the lines that are checked (npm run docs)', () => {
  const published = fs.readFileSync(path.join(ROOT, 'fixtures/repro.schema.json'), 'utf8');
  expect(JSON.parse(published)).toEqual(JSON.parse(JSON.stringify(reproJsonSchema())));
});

const text = anyText({ maxLength: 20 });
const body = fc.uint8Array({ maxLength: 40 }).map((bytes) => bodyOf(Buffer.from(bytes)));
const headers = fc.array(fc.tuple(text, text), { maxLength: 3 });

const request = fc
  .record({
    method: anyText({ minLength: 1, maxLength: 9 }),
    target: anyText({ minLength: 1, maxLength: 30 }),
    headers,
    body: fc.option(body),
    response: fc.option(
      fc.oneof(
        fc.record({ status: fc.integer({ min: 100, max: 599 }), headers, body }),
        fc.constant({ closed: true as const }),
      ),
      { nil: undefined },
    ),
    failed_check: fc.option(text),
  })
  .map(({ response, ...fields }) => {
    const { response: _sample, ...sample } = sampleRequest(1);
    return { ...sample, ...fields, ...(response && { response }) };
  });

const step = fc.record({
  label: fc.constantFrom('clock', 'moves', 'attempt'),
  delivery: fc.option(text),
});

/** Ascending numbers with gaps. */
const repro = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 5 }),
      fc.oneof(
        request,
        step.map((s) => sampleStep(1, s)),
      ),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => {
    let n = 0;
    return parts.map(([gap, input]): ReproInput => {
      n += gap;
      return { ...input, n };
    });
  })
  .map(sampleRepro);

test('a file that is read contains what was written, compressed or not', async () => {
  await fc.assert(
    fc.asyncProperty(repro, fc.boolean(), async (written, compressed) => {
      const read = await readRepro(writeRepro(written, { compressed }));
      expect(read).toEqual({
        ...written,
        end: { ...written.end, lines: written.inputs.length + 2 },
      });
    }),
    { numRuns: 150 },
  );
});

test('rows are read as written', async () => {
  const written = withRows([{ table: 'counters', values: { name: 'ord', value: 3 } }]);
  expect((await readRepro(writeRepro(written))).rows).toEqual(written.rows);
});

test('bytes that are not UTF-8 stay as they are', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      expect([...bytesOf(bodyOf(Buffer.from(bytes)))]).toEqual([...bytes]);
    }),
  );
});

test('damaged, truncated and random bytes give a repro or a ReproFileError', async () => {
  const damaged = fc
    .tuple(fc.boolean(), fc.nat(), fc.nat({ max: 255 }), fc.boolean())
    .map(([compressed, at, value, cut]) => {
      const bytes = Buffer.from(writeRepro(sampleRepro(), { compressed }));
      const index = at % bytes.length;
      if (cut) return bytes.subarray(0, index);
      bytes[index] = value;
      return bytes;
    });
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.uint8Array(), damaged, fc.json().map(Buffer.from)),
      async (bytes) => {
        await readRepro(bytes).catch((error: unknown) =>
          expect(error).toBeInstanceOf(ReproFileError),
        );
      },
    ),
    { numRuns: 300 },
  );
});

describe('an unusable file gives one sentence', () => {
  const lines = linesOfRepro(sampleRepro([sampleRequest(1), sampleRequest(3)]));
  const file = (...changed: (string | object)[]) =>
    Buffer.from(
      changed.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') +
        '\n',
    );
  const [head = '', first = '', second = '', end = ''] = lines;
  const parsed = JSON.parse(head);
  const rows = (row: object) =>
    file(...linesOfRepro(withRows([])).slice(0, 1), { kind: 'row', ...row });
  const input = (fields: object) => file(head, { ...JSON.parse(first), ...fields });

  test.each<[what: string, bytes: Uint8Array, message: string]>([
    ['empty', Buffer.alloc(0), 'the file is empty'],
    ['not a repro', Buffer.from('hello'), 'not a repro file: the first line is not a JSON object'],
    [
      'JSON of another kind',
      file({ kind: 'row' }),
      'not a repro file: the first line is not a head of format "sandlot-repro"',
    ],
    [
      'another format',
      file({ ...parsed, format: 'x\u001b[2J' }),
      'not a repro file: its format is "x\\u001b[2J", not "sandlot-repro"',
    ],
    [
      'a newer version of the format',
      file({ kind: 'head', format: 'sandlot-repro', version: 2, sandlot: '3.1.0' }),
      'the file has version 2 of the format, and this sandlot reads 1; use npx sandlot@3.1.0',
    ],
    [
      'a newer version, of a hostile sandlot',
      file({ kind: 'head', format: 'sandlot-repro', version: 2, sandlot: 'x; rm -rf /' }),
      'the file has version 2 of the format, and this sandlot reads 1; use a newer sandlot',
    ],
    [
      'a newer database',
      file({ ...parsed, schema: 99, sandlot: '3.1.0' }),
      'the file has version 99 of the database, and this sandlot reads 1; use npx sandlot@3.1.0',
    ],
    ['truncated after a line', file(head, first), 'the file is truncated after input 1'],
    ['truncated after the head', file(head), 'the file is truncated before its first input'],
    [
      'truncated within a line',
      file(head, first, second).subarray(0, -20),
      'the file is truncated after input 1',
    ],
    [
      'truncated gzip',
      writeRepro(sampleRepro()).subarray(0, -12),
      'the file is truncated after input 1',
    ],
    [
      'invalid gzip',
      Buffer.concat([zlib.gzipSync(head).subarray(0, 30), Buffer.alloc(300, 7)]),
      'the gzip data is invalid, before its first input',
    ],
    ['invalid UTF-8', Buffer.concat([file(head), Buffer.from([0xff, 0x0a])]), 'line 2: not UTF-8'],
    ['a blank line', file(head, '', first), 'line 2: not a JSON object'],
    ['an unknown kind', file(head, { kind: 'virus' }), 'line 2: unknown kind "virus"'],
    ['an inherited kind', file(head, { kind: 'toString' }), 'line 2: unknown kind "toString"'],
    ['two heads', file(head, head), 'line 2: a second head'],
    [
      'a line after the end',
      file(head, first, second, end, first),
      'line 5: nothing may follow the end',
    ],
    [
      'numbers out of order',
      file(head, second, first),
      'line 3: n: 1 follows 3; numbers must ascend',
    ],
    [
      'a missing target',
      file(head, first, { kind: 'end' }),
      'head: target: input 3 is not in the file',
    ],
    [
      'a selection outside the file',
      file({ ...parsed, focus: [900, 999] }, first, second, end),
      'head: focus: inputs 900 to 999 are not in the file',
    ],
    [
      'a selection that ends before it begins',
      file({ ...parsed, focus: [3, 1] }, first, second, end),
      'head: focus: inputs 3 to 1 are not in the file',
    ],
    [
      'a missing line',
      file(head, second, end),
      'line 3: lines: the file has 3, not 4; if you have edited it, leave the field out',
    ],
    [
      'a step without its request',
      file(head, first, sampleLine({ n: 2, label: 'outcome', of: 7 })),
      'line 3: of: no earlier input 7 for step outcome',
    ],
    [
      'a step that continues itself',
      file(head, first, sampleLine({ n: 2, label: 'continue', of: 2 })),
      'line 3: of: no earlier input 2 for step continue',
    ],
    ['invalid base64', input({ body: { base64: '*' } }), 'line 2: body.base64: must be base64'],
    ['a time without a zone', input({ at: '2026-03-02' }), 'line 2: at: Invalid ISO datetime'],
    [
      'a row of base seed',
      file(head, { kind: 'row', table: 'orders', values: {} }),
      'line 2: a row needs the base "rows"',
    ],
    [
      'an unknown table',
      rows({ table: 'sqlite_schema', values: {} }),
      'line 2: table: unknown table "sqlite_schema"',
    ],
    [
      'an inherited table',
      rows({ table: 'constructor', values: {} }),
      'line 2: table: unknown table "constructor"',
    ],
    [
      'an unknown column',
      rows({ table: 'orders', values: { 'id) --': 1 } }),
      'line 2: values: unknown column "id) --" of table orders',
    ],
    [
      'the token key',
      rows({ table: 'world', values: { token_key: 'x' } }),
      'line 2: values: unknown column "token_key" of table world',
    ],
    [
      'a world name with a path',
      file({ ...parsed, world: '../x' }),
      'line 1: world: must be the name of a world',
    ],
  ])('%s', async (_what, bytes, message) => {
    await expect(readRepro(bytes)).rejects.toThrow(
      expect.objectContaining({ name: 'ReproFileError', message }),
    );
  });

  test('a gzip bomb is rejected at the limit', async () => {
    const bomb = zlib.gzipSync(Buffer.concat([file(head), Buffer.alloc(4 * 1024 * 1024, 0x20)]));
    await expect(readRepro(bomb, { maxBytes: 1024 * 1024 })).rejects.toThrow(
      'the file is larger than 1 MB unpacked',
    );
  });
});

test('unknown fields are ignored', async () => {
  const [head = '', ...others] = linesOfRepro(sampleRepro());
  const changed = JSON.stringify({ ...JSON.parse(head), later: true });
  const { head: read } = await readRepro(Buffer.from([changed, ...others].join('\n')));
  expect(read).toEqual(sampleRepro().head);
});

test('a file without the number of lines may be edited', async () => {
  const [head = '', , second = ''] = linesOfRepro(
    sampleRepro([sampleRequest(1), sampleRequest(3)]),
  );
  const edited = [head, second, '{"kind":"end"}'].join('\n');
  expect((await readRepro(Buffer.from(edited))).inputs).toHaveLength(1);
});

function sampleLine(fields: Parameters<typeof sampleStep>[1] & { n: number }): object {
  return { ...sampleStep(fields.n, fields), at: '2026-03-02T09:00:00.000Z' };
}

function withRows(rows: Omit<Repro['rows'][number], 'kind'>[]): Repro {
  const sample = sampleRepro();
  return {
    ...sample,
    head: { ...sample.head, base: { type: 'rows', token_key_of: 'default' } },
    rows: rows.map((row) => ({ kind: 'row', ...row })),
  };
}
