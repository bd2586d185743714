import fs from 'node:fs';
import path from 'node:path';
import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ID_PREFIXES } from '../../../src/kernel/ids.ts';
import {
  type ActRecord,
  bodyOf,
  bytesOf,
  type InputRecord,
  type Repro,
  reproJsonSchema,
} from '../../../src/tools/repro/format.ts';
import { ReproFileError } from '../../../src/tools/repro/limits.ts';
import { linesOfRepro, readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { anyText } from '../../support/any-text.ts';
import { ROOT } from '../../support/sandlot-process.ts';
import { sampleAct, sampleRepro, sampleRequest } from './sample-repro.ts';

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
    const { response: _sample, ...sample } = sampleRequest(1)[0];
    return { ...sample, ...fields, ...(response && { response }) };
  });

const send = fc.record({
  outcome: text,
  http_status: fc.option(fc.integer()),
  duration_ms: fc.nat(),
  response: fc.option(text),
});

/** The fields of an act that no request caused. */
const work: fc.Arbitrary<Partial<ActRecord>> = fc
  .record({
    cause: fc.oneof(
      fc.record({ type: fc.constantFrom('clock.to', 'moves') }),
      fc.record({ type: fc.constantFrom('attempt', 'outcome'), id: text }),
    ),
    params: fc.option(fc.oneof(fc.record({ to: fc.integer() }), fc.record({ body: text }))),
    given: fc.option(fc.array(send, { maxLength: 2 })),
    counters: fc.option(fc.dictionary(fc.constantFrom(...ID_PREFIXES), fc.nat(), { maxKeys: 3 })),
  })
  .map(({ cause, params, given, counters }) => ({
    cause,
    ...(params && { params }),
    ...(given && { given }),
    ...(counters && { counters }),
  }));

/** Requests with and without acts, and other acts: ascending numbers with gaps. */
const repro = fc
  .array(
    fc.tuple(
      fc.integer({ min: 1, max: 5 }),
      fc.oneof(
        fc.record({ request, acts: fc.nat({ max: 3 }) }),
        work.map((fields) => ({ work: fields })),
      ),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((parts) => {
    let n = 0;
    return parts.flatMap(([gap, part]): InputRecord[] => {
      const [of, after] = [n + gap, n];
      const acts =
        'work' in part
          ? [sampleAct(of, part.work)]
          : Array.from({ length: part.acts }, (_, index) =>
              sampleAct(of + index, { cause: { type: 'request', of, part: index + 1 } }),
            );
      n = acts.at(-1)?.n ?? n;
      if ('work' in part) return acts;
      return [{ ...part.request, after, acts: acts.map((act) => act.n) }, ...acts];
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

test('damaged, truncated and random bytes give a repro or a ReproFileError', () => {
  const damaged = fc
    .tuple(fc.boolean(), fc.nat(), fc.nat({ max: 255 }), fc.boolean())
    .map(([compressed, at, value, cut]) => {
      const bytes = Buffer.from(writeRepro(sampleRepro(), { compressed }));
      const index = at % bytes.length;
      if (cut) return bytes.subarray(0, index);
      bytes[index] = value;
      return bytes;
    });
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array(), damaged, fc.json().map(Buffer.from)), (bytes) => {
      try {
        readRepro(bytes);
      } catch (error) {
        expect(error).toBeInstanceOf(ReproFileError);
      }
    }),
    { numRuns: 300 },
  );
});

describe('an unusable file gives one sentence', () => {
  const lines = linesOfRepro(sampleRepro([...sampleRequest(1), ...sampleRequest(3)]));
  const file = (...changed: (string | object)[]) =>
    Buffer.from(
      changed.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') +
        '\n',
    );
  const [head = '', first = '', firstAct = '', second = '', secondAct = '', end = ''] = lines;
  const parsed = JSON.parse(head);
  const rows = (row: object) =>
    file(...linesOfRepro(withRows([])).slice(0, 1), { kind: 'row', ...row });
  const input = (fields: object) => file(head, { ...JSON.parse(first), ...fields });
  const withActOf = (of: number) => {
    const act = { ...JSON.parse(firstAct), n: 2, cause: { type: 'request', of, part: 2 } };
    return file(head, first, firstAct, act, second, secondAct, { kind: 'end' });
  };

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
      'the file has version 99 of the database, and this sandlot reads 2; use npx sandlot@3.1.0',
    ],
    ['truncated after a line', file(head, first, firstAct), 'the file is truncated after act 1'],
    ['truncated after the head', file(head), 'the file is truncated before its first act'],
    [
      'truncated within a line',
      file(head, first, firstAct, second).subarray(0, -20),
      'the file is truncated after act 1',
    ],
    [
      'truncated gzip',
      writeRepro(sampleRepro()).subarray(0, -12),
      'the file is truncated after act 1',
    ],
    [
      'invalid gzip',
      Buffer.concat([zlib.gzipSync(head).subarray(0, 30), Buffer.alloc(300, 7)]),
      'the gzip data is invalid',
    ],
    ['invalid UTF-8', Buffer.concat([file(head), Buffer.from([0xff, 0x0a])]), 'line 2: not UTF-8'],
    ['a blank line', file(head, '', first), 'line 2: not a JSON object'],
    ['an unknown kind', file(head, { kind: 'virus' }), 'line 2: unknown kind "virus"'],
    ['an inherited kind', file(head, { kind: 'toString' }), 'line 2: unknown kind "toString"'],
    ['two heads', file(head, head), 'line 2: a second head'],
    ['a line after the end', file(...lines, first), 'line 7: nothing may follow the end'],
    [
      'numbers out of order',
      file(head, second, secondAct, firstAct),
      'line 4: n: 1 follows 3; numbers must ascend',
    ],
    [
      'a request after its act',
      file(head, firstAct, first),
      'line 3: a request must precede its acts, whose numbers ascend',
    ],
    [
      'a read after a later act',
      file(head, first, firstAct, { ...JSON.parse(first), acts: [] }),
      'line 4: a request must precede its acts, whose numbers ascend',
    ],
    [
      'a counter that no world has',
      file(head, first, { ...JSON.parse(firstAct), counters: { evil: 1 } }),
      'line 3: counters: Unrecognized key: "evil"',
    ],
    [
      'a request whose acts are out of order',
      input({ acts: [2, 1] }),
      'line 2: a request must precede its acts, whose numbers ascend',
    ],
    [
      'a request without its act',
      file(head, first, second, secondAct, { kind: 'end' }),
      'act 1 of a request is missing',
    ],
    [
      'a missing target',
      file(head, first, firstAct, { kind: 'end' }),
      'head: target: request 3 is not in the file',
    ],
    [
      'a selection outside the file',
      file({ ...parsed, focus: ['900', '999'] }, ...lines.slice(1)),
      'head: focus: request 999 is not in the file',
    ],
    [
      'a selection that ends before it begins',
      file({ ...parsed, focus: ['3', '1'] }, ...lines.slice(1)),
      'head: focus: 3 follows 1',
    ],
    [
      'a target that is no place',
      file({ ...parsed, target: '1.x' }),
      'line 1: target: must be the number of an act, or 12.1 for the first read after act 12',
    ],
    [
      'a missing line',
      file(head, second, secondAct, end),
      'line 4: lines: the file has 4, not 6; if you have edited it, leave the field out',
    ],
    [
      'an act of a request that is not in the file',
      withActOf(7),
      'act 2: no request has the first act 7',
    ],
    [
      'an act of a request that is an act itself',
      withActOf(2),
      'act 2: no request has the first act 2',
    ],
    [
      'an act of an unknown cause',
      file(head, { ...JSON.parse(firstAct), cause: { type: 'magic' } }),
      "line 2: cause.type: Invalid discriminator value. Expected 'request' | 'clock.to' | 'moves' | 'attempt' | 'outcome'",
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
  ])('%s', (_what, bytes, message) => {
    expect(() => readRepro(bytes)).toThrow(
      expect.objectContaining({ name: 'ReproFileError', message }),
    );
  });

  test('a gzip bomb is rejected at the limit', () => {
    const bomb = zlib.gzipSync(Buffer.concat([file(head), Buffer.alloc(4 * 1024 * 1024, 0x20)]));
    expect(() => readRepro(bomb, { maxBytes: 1024 * 1024 })).toThrow(
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
  const [head, , , request, act] = linesOfRepro(
    sampleRepro([...sampleRequest(1), ...sampleRequest(3)]),
  );
  const edited = [head, request, act, '{"kind":"end"}'].join('\n');
  expect((await readRepro(Buffer.from(edited))).inputs).toHaveLength(2);
});

function withRows(rows: Omit<Repro['rows'][number], 'kind'>[]): Repro {
  const sample = sampleRepro();
  return {
    ...sample,
    head: { ...sample.head, base: { type: 'rows', token_key_of: 'default' } },
    rows: rows.map((row) => ({ kind: 'row', ...row })),
  };
}
