import fc from 'fast-check';
import { expect, test } from 'vitest';
import { measureLine } from '../../../src/tools/repro/limits.ts';
import { linesOfRepro, readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { commandLine } from '../../cli/command-line.ts';
import { anyText } from '../../support/any-text.ts';
import { sampleRepro, sampleRequest } from './sample-repro.ts';

const MEGABYTE = 1024 * 1024;
const [head = '', request = ''] = linesOfRepro(sampleRepro());

const unusable = (message: string) => expect.objectContaining({ name: 'ReproFileError', message });

test('stdin that never ends is rejected after 64 MB', async () => {
  const chunk = Buffer.alloc(16 * MEGABYTE, '[');
  let read = 0;
  async function* stdinChunks() {
    for (;;) {
      read += chunk.length;
      yield chunk;
    }
  }
  expect(await commandLine(undefined, { stdinChunks })('repro show -')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('-: the file is larger than 64 MB unpacked'),
  });
  expect(read).toBe(80 * MEGABYTE);
});

test('a line of 8 MB is read', async () => {
  const repro = sampleRepro([sampleRequest(1, { body: { text: '' } })]);
  const size = linesOfRepro(repro)[1]?.length ?? 0;
  const text = 'a'.repeat(8 * MEGABYTE - size);
  const full = sampleRepro([sampleRequest(1, { body: { text } })]);
  expect(readRepro(writeRepro(full)).requests).toEqual(full.requests);
  const over = sampleRepro([sampleRequest(1, { body: { text: `${text}a` } })]);
  expect(() => readRepro(writeRepro(over))).toThrow(unusable('line 2: longer than 8 MB'));
});

test.each<[what: string, line: string, message: string]>([
  [
    'more than 64 levels',
    request.replace('{', `{"later":${'['.repeat(64)}${']'.repeat(64)},`),
    'line 2: more than 64 levels of JSON',
  ],
  ['a million open brackets', '['.repeat(MEGABYTE), 'line 2: more than 64 levels of JSON'],
  [
    'more than 1,000 headers',
    JSON.stringify({ ...JSON.parse(request), headers: Array(1_001).fill(['a', 'b']) }),
    'line 2: headers: more than 1000 headers',
  ],
  [
    'millions of fields',
    `{"kind":"base","table":"counters","values":{${'"a":[],'.repeat(MEGABYTE)}"b":1}}`,
    'line 2: more than 10000 fields and elements',
  ],
])('a line with %s is rejected', (_what, line, message) => {
  const bytes = Buffer.from(`${head}\n${line}\n`);
  expect(() => readRepro(bytes)).toThrow(unusable(message));
});

test('a file of short lines with more than 8 million values is rejected', () => {
  const line = JSON.stringify({ ...JSON.parse(request), later: Array(9_900).fill(0) });
  const lines = Array.from({ length: 820 }, (_, n) =>
    line.replace('"n":1,"request_id"', `"n":${n + 1},"request_id"`),
  );
  const message = expect.stringMatching(/^line 8\d\d: the file has more than 8000000 fields/);
  expect(() => readRepro(Buffer.from([head, ...lines].join('\n')))).toThrow(
    expect.objectContaining({ name: 'ReproFileError', message }),
  );
});

test('64 levels and 1,000 headers are read', async () => {
  const deep = `${'['.repeat(63)}${']'.repeat(63)}`;
  const fields = { ...JSON.parse(request), headers: Array(1_000).fill(['a', 'b']) };
  const line = JSON.stringify(fields).replace('{', `{"later":${deep},`);
  const { requests } = readRepro(Buffer.from(`${head}\n${line}\n{"kind":"end"}\n`));
  expect(requests).toMatchObject([{ headers: { length: 1_000 } }]);
});

test('brackets and commas in texts are not counted', () => {
  const text = fc.oneof(anyText(), fc.string({ unit: fc.constantFrom('[', ',', '"', '\\', '{') }));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 20 }), (texts) => {
      const line = JSON.stringify({
        texts,
        brackets: '[{'.repeat(100),
        commas: ','.repeat(20_000),
      });
      expect(measureLine(Buffer.from(line)).excess).toBeUndefined();
    }),
  );
});
