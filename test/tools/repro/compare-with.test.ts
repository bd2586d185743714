import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readRepro, writeRepro } from '../../../src/tools/repro/read-repro.ts';
import { requestsOf } from '../../../src/tools/repro/select.ts';
import { commandLine } from '../../cli/command-line.ts';
import { orderFor } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';
import { BIN } from '../../support/sandlot-process.ts';
import { stateFolder } from '../../support/state-folder.ts';

async function recorded() {
  const at = await sandbox();
  await orderFor(at, 1);
  await orderFor(at, 2);
  const cwd = stateFolder();
  const { bytes } = await at.exportRepro();
  fs.writeFileSync(path.join(cwd, 'a.gz'), bytes);
  const env = { PATH: process.env.PATH };
  const compare = (file: string, command: string) =>
    commandLine(undefined, { cwd, env })(['repro', 'compare', file, '--with', command]);
  /** A command that is run in the place of another sandlot. */
  const script = (text: string) => {
    fs.writeFileSync(path.join(cwd, 'other.cjs'), text);
    return './other.cjs';
  };
  return { cwd, bytes, compare, script };
}

test('repro compare --with the built command replays the file there, and finds no difference', async () => {
  const { compare } = await recorded();
  expect(await compare('a.gz', BIN)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Same: compared 2 responses, /),
    stderr: '',
  });
});

test('repro compare --with another sandlot compares what that responds', async () => {
  const { compare, bytes, cwd } = await recorded();
  const repro = await readRepro(bytes);
  for (const { response } of requestsOf(repro.inputs)) {
    if (response && 'status' in response) response.status = 200;
  }
  fs.writeFileSync(path.join(cwd, 'old.gz'), writeRepro(repro));
  const { code, stdout } = await compare('old.gz', BIN);
  expect({ code, stdout }).toEqual({
    code: 1,
    stdout: expect.stringMatching(
      /^First difference: call 1 of order \S+\. In A, POST \/orders gets 200; in B, 201\.\n/,
    ),
  });
});

test.each([
  [
    'a version that cannot run',
    "console.error('one\\nunknown option -o'); process.exit(1)",
    'unknown option -o',
  ],
  [
    'a version that cannot read the file',
    "console.error('error: a.repro.gz: line 1: version 2 is not supported\\nSee: sandlot repro replay --help'); process.exit(2)",
    'a.repro.gz: line 1: version 2 is not supported',
  ],
  ['a command that writes no file', '', 'it wrote no file'],
])('repro compare --with %s exits 2 with its last line', async (_case, text, last) => {
  const { compare, script } = await recorded();
  expect(await compare('a.gz', script(text))).toMatchObject({
    code: 2,
    stdout: '',
    stderr: `error: --with: ./other.cjs cannot replay the file: ${last}\nSee: sandlot repro compare --help\n`,
  });
});

test('repro compare --with a file that another sandlot garbles exits 2', async () => {
  const { compare, script } = await recorded();
  const text = "require('fs').writeFileSync(process.argv.at(-1), 'no repro')";
  expect(await compare('a.gz', script(text))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--with: ./other.cjs wrote an unusable file: not a repro file'),
  });
});
