import { expect, test } from 'vitest';
import { exampleId } from '../../src/cli/command.ts';
import { faultsOf } from '../support/faults.ts';
import { sandbox } from '../support/sandbox.ts';
import { commandLine } from './command-line.ts';

const FAULT = exampleId('flt');

test('a fault shows its exact delay', async () => {
  const run = commandLine(await sandbox());
  const { stdout } = await run('faults add --path /orders --delay 1500ms');
  expect(stdout).toMatch(/^effect +delay 1500ms$/m);
});

test('a fault is added, listed and cleared', async () => {
  const run = commandLine(await sandbox());
  const added = await run(
    'faults add --method post --path /orders --domain held-order.test --key dmk_sandbox_local --first 3 --every 2 --probability 0.5 --code rate_limited --delay 2s --times 9',
  );
  expect({ code: added.code, stderr: added.stderr }).toEqual({ code: 0, stderr: '' });
  expect(added.stdout).toBe(
    [
      `fault   ${FAULT}`,
      'match   POST /orders, about held-order.test, by dmk_sandbox_local, first 3, every 2, probability 0.5',
      'effect  429 rate_limited, delay 2s',
      'hits    0 of 9',
      '',
    ].join('\n'),
  );
  await run('faults add --drop after --delay 2s --delay-when after --times 1');
  await run('faults add --nth 2 --truncate 0');
  await run('faults add --event order.settled --webhook delay=1h30m --webhook duplicate');
  expect(
    (await run('faults list')).stdout.split('\n').map((line) => line.replace(/^flt_\w+ +/, '')),
  ).toEqual([
    expect.stringMatching(/^FAULT +MATCH +EFFECT +HITS$/),
    expect.stringContaining('429 rate_limited'),
    expect.stringMatching(
      /^every request +delay 2s after commit, connection closed after commit +0 of 1$/,
    ),
    expect.stringMatching(/^every request, nth 2 +truncated after 0 bytes +0$/),
    expect.stringMatching(/^order\.settled +delay 1h 30m, duplicate +0$/),
    '',
  ]);
  expect((await run(`faults clear ${FAULT}`)).stdout).toBe(`Deleted fault ${FAULT}\n`);
  expect((await run('faults clear')).stdout).toBe('Deleted 3 faults\n');
  expect((await run('faults list')).stdout).toBe('no faults\n');
});

test.each([
  ['--webhook drop', { webhook: { drop: true, duplicate: false, delay_ms: null } }],
  ['--webhook duplicate', { webhook: { duplicate: true } }],
  ['--webhook reorder', { webhook: { reorder: true } }],
  ['--webhook corrupt_signature', { webhook: { corrupt_signature: true } }],
  ['--webhook delay=250ms', { webhook: { delay_ms: 250, drop: false } }],
  ['--webhook discard_response', { webhook: { discard_response: true } }],
  ['--webhook drop --delivery 1 --attempt 2', { match: { delivery: 1, attempt: 2 } }],
  ['--gateway 502 --gateway-when after', { effect: { gateway: 502, gateway_when: 'after' } }],
  ['--delay 5s --delay-when delivered', { effect: { delay_ms: 5_000, delay: 'delivered' } }],
])('faults add %s adds %j', async (options, fault) => {
  const shop = await sandbox();
  expect((await commandLine(shop)(`faults add ${options}`)).code).toBe(0);
  expect(await faultsOf(shop)).toMatchObject([fault]);
});
