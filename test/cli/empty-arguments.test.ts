import { expect, test } from 'vitest';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';
import { COMMANDS } from './fixtures.ts';

/** Values that are valid, so that the empty argument is all that is wrong. */
const VALID: Record<string, string> = {
  method: 'GET',
  path: '/api/partner/v1/orders',
  price: '1.00',
  what: 'order',
  'orders why-not --to': 'SETTLED',
  'wait order --state': 'SETTLED',
  'brokerage advance --to': 'COMPLETED',
  'inventory add --price': '1.00',
};

const EMPTY = 'It must not be empty; is a shell variable unset?';

const args = COMMANDS.flatMap(({ path, args: declared = {}, options: ofCommand = {} }) => {
  const names = Object.keys(declared);
  const required = Object.values(ofCommand).filter((each) => each.mandatory);
  const flags = required.map((each) => each.flags.split(' ')[0] ?? '');
  return names.map((name, n) => ({
    line: [
      ...path.split(' '),
      ...names.map((each, at) => (at === n ? '' : (VALID[each] ?? 'x'))),
      ...flags.flatMap((flag) => [flag, VALID[`${path} ${flag}`] ?? 'x']),
    ],
    named: `error: command-argument value '' is invalid for argument '${declared[name]?.name()}'.`,
  }));
});

const options = COMMANDS.flatMap(({ path, options: declared = {} }) =>
  Object.values(declared)
    .map(({ flags }) => /(--[\w-]+) </.exec(flags)?.[1])
    .filter((flag) => flag !== undefined)
    .map((flag) => ({ line: [...path.split(' '), flag, ''], named: namedOption(flag) })),
);

const common = ['--url', '--world', '--control-token', '--control-token-file'].flatMap((name) => [
  { line: ['orders', 'list', name, ''], named: namedOption(name) },
  { line: [name, '', 'orders', 'list'], named: namedOption(name) },
]);
const later = { line: ['find', 'x', ''], named: /for argument 'text'/ };

function namedOption(flag: string): RegExp {
  return new RegExp(`^error: option '(-\\w, )?${flag} <[^>]*>' argument '' is invalid\\.`);
}

test('every empty argument and option of every command is wrong usage, and is named', async () => {
  const run = commandLine();
  const wrong: string[] = [];
  for (const { line, named } of [...args, ...options, ...common, later]) {
    const { code, stderr } = await run(line);
    const isNamed = typeof named === 'string' ? stderr.startsWith(named) : named.test(stderr);
    if (code !== 2 || !isNamed || !stderr.includes(`. ${EMPTY}\n`)) {
      wrong.push(`${JSON.stringify(line)}: ${code} ${stderr}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(args.length + options.length).toBeGreaterThan(150);
});

test('--json reports it too, and nothing is called', async () => {
  const at = await sandbox();
  const run = commandLine(at);
  const { code, json } = await run(['orders', 'advance', '', '--to', 'SETTLED', '--json']);
  expect(code).toBe(2);
  expect(json()).toMatchObject({
    error: { code: 'usage', message: expect.stringContaining(EMPTY) },
  });
  expect(await at.control.get('/requests')).toMatchObject({ requests: [] });
});
