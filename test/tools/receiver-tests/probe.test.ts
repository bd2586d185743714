import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { systemRuntime } from '../../../src/kernel/runtime.ts';
import { isRunning } from '../../support/sandlot-process.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { runQuickly, startReceiver } from './receiver.ts';

test('a probe function that throws at first is an input error, and later makes effects unseen', async () => {
  const { url, countProbe } = await startReceiver();
  const throwing = () => {
    throw new Error('no table');
  };
  await expect(runQuickly({ url, probe: throwing })).rejects.toThrow(
    '--probe: the probe threw: no table',
  );
  const only = ['body.pretty', 'dup.twice'];
  const { checks } = await runQuickly({
    url,
    only,
    probe: (subject) => (subject.check === 'dup.twice' ? throwing() : countProbe()),
  });
  expect(checks.map(({ result, reason }) => [result, reason])).toEqual([
    ['pass', 'as expected'],
    ['unseen', 'No effect was read: the probe threw: no table.'],
  ]);
});

test('a run ends with its signal while a probe function does not return', async () => {
  const { url } = await startReceiver();
  const probe = () => new Promise<number>(() => {});
  const signal = AbortSignal.timeout(100);
  await expect(runQuickly({ url, probe, signal })).rejects.toThrow('aborted due to timeout');
});

test('a probe finds the check, the event and the order, as a function and as a command', async () => {
  const { url } = await startReceiver();
  const only = ['body.pretty'];
  const called: string[] = [];
  await runQuickly({
    url,
    only,
    probe: ({ check, event, order }) => called.push(`${check}/${event}/${order}`),
  });
  const cwd = stateFolder();
  const probe =
    'echo "$SANDLOT_TEST_CHECK/$SANDLOT_TEST_EVENT/$SANDLOT_TEST_ORDER" >> seen; wc -l < seen';
  await runQuickly({ url, only, probe, cwd });
  const read = fs.readFileSync(path.join(cwd, 'seen'), 'utf8').trim().split('\n');
  for (const subjects of [called, read]) {
    expect(subjects[0]).toBe('calibration//');
    expect(subjects[1]).toMatch(/^calibration\/evt_\w+\/ord_\w+$/);
    expect(subjects.at(-1)).toMatch(/^body\.pretty\/evt_\w+\/ord_\w+$/);
  }
});

test('a check that goes wrong by its effect is reproduced with the probe', async () => {
  const cwd = stateFolder();
  const effects = path.join(cwd, 'effects');
  fs.writeFileSync(effects, '');
  const { url } = await startReceiver({ take: () => fs.appendFileSync(effects, 'x\n') });
  const { checks } = await runQuickly({ url, only: ['dup.twice'], probe: 'wc -l < effects', cwd });
  expect(checks).toMatchObject([
    {
      result: 'fail',
      reproduce: `sandlot webhooks test --only dup.twice --url ${url} --probe 'wc -l < effects' --settle 20ms`,
    },
  ]);
});

test.each([
  ['printed more than 1 MiB', 'yes | head -c 2000000'],
  ['ended with exit code 3', 'exit 3'],
  ['was not found', 'no-such-command-here'],
])('a probe that %s is an input error', async (problem, probe) => {
  const { url } = await startReceiver();
  await expect(runQuickly({ url, probe })).rejects.toThrow(`--probe: the probe command ${problem}`);
});

test('a probe that ignores SIGTERM ends after 10 s, with what it started', async () => {
  const { url } = await startReceiver();
  const cwd = stateFolder();
  const probe = `trap "" TERM; sh -c 'echo $$ > pid; sleep 600'; true`;
  const sleep = (ms: number, signal?: AbortSignal) => systemRuntime.sleep(ms / 10, signal);
  const run = runQuickly({ url, probe, cwd, runtime: { ...systemRuntime, sleep } });
  await expect(run).rejects.toThrow('--probe: the probe command did not end within 10 s');
  const pid = Number(fs.readFileSync(path.join(cwd, 'pid'), 'utf8'));
  await expect.poll(() => isRunning(pid)).toBe(false);
});
