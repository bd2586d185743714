import { expect, test } from 'vitest';
import { lacksRuns } from '../../../src/tools/repro/logged-requests.ts';
import { linesOfRepro, readRepro, writeRepro } from '../../../src/tools/repro/repro-lines.ts';
import { commandLine } from '../../cli/command-line.ts';
import { message, sampleRepro, sampleRequest } from './sample-repro.ts';

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
  const stderr = expect.stringContaining('-: the file is larger than 64 MB unpacked');
  const rejected = await commandLine(undefined, { stdinChunks })('repro show -');
  expect(rejected).toMatchObject({ code: 2, stderr });
  expect(read).toBe(80 * MEGABYTE);
});

test('a line of 8 MB is read', async () => {
  const repro = sampleRepro([sampleRequest(1, { request: message('') })]);
  const size = linesOfRepro(repro)[1]?.length ?? 0;
  // Its length takes seven digits in place of one.
  const text = 'a'.repeat(8 * MEGABYTE - size - 6);
  const full = sampleRepro([sampleRequest(1, { request: message(text) })]);
  expect(readRepro(writeRepro(full)).requests).toEqual(full.requests);
  const over = sampleRepro([sampleRequest(1, { request: message(`${text}a`) })]);
  expect(() => readRepro(writeRepro(over))).toThrow(unusable('line 2: longer than 8 MB'));
});

const withField = (name: string, value: string) =>
  JSON.stringify({ ...JSON.parse(request), [name]: 'VALUE' }).replace('"VALUE"', () => value);

test.each<[what: string, line: string, message: string]>([
  [
    'more than 1,000 headers',
    withField('request', JSON.stringify(message('', Array(1_001).fill(['a', 'b'])))),
    'line 2: request.headers: Too big: expected array to have <=1000 items',
  ],
  [
    'millions of fields',
    withField('later', `[${'[],'.repeat(2 * MEGABYTE)}[]]`),
    'line 2: more than 10000 fields and elements',
  ],
  [
    'lists in the detail of a trace, which take 13 times the memory',
    withField('trace', '[{"check":"rules","result":"done","detail":{"a":[[],[]]}}]'),
    'line 2: trace.0.detail: Invalid input',
  ],
])('a line with %s is rejected', (_what, line, message) => {
  const bytes = Buffer.from(`${head}\n${line}\n`);
  expect(() => readRepro(bytes)).toThrow(unusable(message));
});

test('a log of 200,000 requests is searched for missing runs', () => {
  const requests = Array(200_000).fill(sampleRequest(1));
  expect(lacksRuns({ requests, runs: [1], sentHashes: new Map() }, 1)).toBe(false);
});
