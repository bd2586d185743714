import zlib from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCHEMA_VERSION } from '../../../src/store/create-tables.ts';
import type { Repro } from '../../../src/tools/repro/format.ts';
import { ReproFileError } from '../../../src/tools/repro/limits.ts';
import { linesOfRepro, readRepro, writeRepro } from '../../../src/tools/repro/repro-lines.ts';
import { anyText } from '../../support/any-text.ts';
import { message, sampleRepro, sampleRequest } from './sample-repro.ts';

const text = anyText({ maxLength: 20 });
const anyMessage = fc
  .tuple(
    fc.oneof(text, fc.constant(null), fc.uint8Array({ maxLength: 40 }).map(Buffer.from)),
    fc.array(fc.tuple(text, text), { maxLength: 3 }),
  )
  .map(([body, headers]) => message(body, headers));

const request = fc.record({
  method: anyText({ minLength: 1, maxLength: 9 }),
  target: anyText({ minLength: 1, maxLength: 30 }),
  request: anyMessage,
  status: fc.option(fc.integer({ min: 100, max: 599 })),
  response: anyMessage,
});

const repro = fc
  .array(request, { minLength: 1, maxLength: 8 })
  .map((all) => sampleRepro(all.map((fields, index) => sampleRequest(index + 1, fields))));

test('a file that is read contains what was written, compressed or not', () => {
  fc.assert(
    fc.property(repro, fc.boolean(), (written, compressed) => {
      expect(readRepro(writeRepro(written, { compressed }))).toEqual(written);
    }),
    { numRuns: 150 },
  );
});

test('rows are read as written', () => {
  const values = { name: 'ord', value: 3 };
  const written: Repro = {
    ...sampleRepro(),
    base: [{ kind: 'base', table: 'counters', values }],
    state: [{ kind: 'state', table: 'counters', values, removed: true }],
  };
  expect(readRepro(writeRepro(written))).toEqual(written);
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

const NOT_A_REPRO = 'not a repro file: the first line is not a head of format "sandlot-repro"';
const NO_LINE = 'not a line of a repro file';
const NO_GZIP = 'the gzip data is truncated or invalid';
const UNKNOWN = 'line 2: unknown table or column';

describe('an unusable file gives one sentence', () => {
  const lines = linesOfRepro(sampleRepro([sampleRequest(1), sampleRequest(3)]));
  const file = (...changed: (string | object)[]) =>
    Buffer.from(
      changed.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n') +
        '\n',
    );
  const [head = '', first = '', second = ''] = lines;
  const parsed = JSON.parse(head);
  const rows = (row: object) => file(head, { kind: 'base', ...row });
  const input = (fields: object) => file(head, { ...JSON.parse(first), ...fields });

  test.each<[what: string, bytes: Uint8Array, message: string]>([
    ['empty', Buffer.alloc(0), 'the file is empty'],
    ['not a repro', Buffer.from('hello'), NOT_A_REPRO],
    ['another format', file({ ...parsed, format: 'x' }), NOT_A_REPRO],
    [
      'a newer version of the format',
      file({ kind: 'head', format: 'sandlot-repro', version: 6, sandlot: '3.1.0' }),
      'the file has version 6 of the format, and this sandlot reads 5; use sandlot 3.1.0',
    ],
    [
      'a newer version, of a hostile sandlot',
      file({ kind: 'head', format: 'sandlot-repro', version: 6, sandlot: 'x\u001b[2J' }),
      'the file has version 6 of the format, and this sandlot reads 5; use sandlot x [2J',
    ],
    ...[1, 99].map((schema): [string, Uint8Array, string] => [
      `version ${schema} of the database`,
      file({ ...parsed, schema, sandlot: '3.1.0' }),
      `the file has version ${schema} of the database, and this sandlot reads ${SCHEMA_VERSION}; use sandlot 3.1.0`,
    ]),
    ['truncated after a line', file(head, first), 'the file is truncated'],
    ['truncated within a line', file(head, first, second).subarray(0, -20), `line 3: ${NO_LINE}`],
    ['truncated gzip', writeRepro(sampleRepro()).subarray(0, -12), NO_GZIP],
    [
      'invalid gzip',
      Buffer.concat([zlib.gzipSync(head).subarray(0, 30), Buffer.alloc(300, 7)]),
      NO_GZIP,
    ],
    ['a blank line', file(head, '', first), `line 2: ${NO_LINE}`],
    ['an inherited kind', file(head, { kind: 'toString' }), `line 2: ${NO_LINE}`],
    ['a kind that is not text', file(head, { kind: { toString: 1 } }), `line 2: ${NO_LINE}`],
    ['a version that is not text', file({ ...parsed, sandlot: { toString: 1 } }), NOT_A_REPRO],
    ['two heads', file(head, head), `line 2: ${NO_LINE}`],
    ['a line after the end', file(...lines, first), 'the file is truncated'],
    ['no target', file(head, first, { kind: 'end' }), 'the file lacks its target, request 3'],
    ['a time as text', input({ at: '2026-03-02' }), 'line 2: at: must be a number'],
    ['an unknown table', rows({ table: 'sqlite_schema', values: {} }), UNKNOWN],
    ['an inherited table', rows({ table: 'constructor', values: {} }), UNKNOWN],
    ['an unknown column', rows({ table: 'orders', values: { 'id) --': 1 } }), UNKNOWN],
    [
      'a world name with a path',
      file({ ...parsed, world: '../x' }),
      'line 1: world: is not a valid name',
    ],
    ['the token key', rows({ table: 'world', values: { token_key: 'x' } }), UNKNOWN],
  ])('%s', (_what, bytes, message) => {
    expect(() => readRepro(bytes)).toThrow(
      expect.objectContaining({ name: 'ReproFileError', message }),
    );
  });

  test('a gzip bomb is rejected at the limit', () => {
    const bomb = zlib.gzipSync(Buffer.alloc(65 * 1024 * 1024, 0x20));
    expect(() => readRepro(bomb)).toThrow('the file is larger than 64 MB unpacked');
  });
});

test('unknown fields are ignored', async () => {
  const [head = '', ...others] = linesOfRepro(sampleRepro());
  const changed = JSON.stringify({ ...JSON.parse(head), later: true });
  const { head: read } = await readRepro(Buffer.from([changed, ...others].join('\n')));
  expect(read).toEqual(sampleRepro().head);
});
