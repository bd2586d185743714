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
  const shop = await sandbox();
  const run = commandLine(shop);
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

test('--webhook takes every effect on webhooks', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  for (const effect of ['drop', 'duplicate', 'reorder', 'corrupt_signature', 'delay=250ms']) {
    expect((await run(`faults add --webhook ${effect}`)).code, effect).toBe(0);
  }
  expect((await faultsOf(shop)).map(({ webhook }) => webhook)).toMatchObject([
    { drop: true, duplicate: false, delay_ms: null },
    { duplicate: true },
    { reorder: true },
    { corrupt_signature: true },
    { delay_ms: 250, drop: false },
  ]);
});

test('options of gateways, late responses and single deliveries are set', async () => {
  const shop = await sandbox();
  const run = commandLine(shop);
  for (const line of [
    '--path /orders --gateway 502 --gateway-when after',
    '--path /orders --delay 5s --delay-when delivered',
    '--event order.recorded --delivery 1 --attempt 2 --webhook discard_response',
  ]) {
    expect((await run(`faults add ${line}`)).code, line).toBe(0);
  }
  expect(await faultsOf(shop)).toMatchObject([
    { effect: { gateway: 502, gateway_when: 'after' } },
    { effect: { delay_ms: 5_000, delay: 'delivered' } },
    { match: { delivery: 1, attempt: 2 }, webhook: { discard_response: true } },
  ]);
});
