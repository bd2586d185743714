import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, type OnTestFinishedHandler, test } from 'vitest';
import type { ReceiverTestReport } from '../../../src/tools/receiver-tests/result.ts';
import { runReceiverTests } from '../../../src/tools/receiver-tests/run.ts';
import { freePorts, isListening } from '../../support/ports.ts';
import { makeTemporaryFolder } from '../../support/temporary-folder.ts';
import { namesOf, runQuickly, SECRET, type Steps, startReceiver } from './receiver.ts';

const FOLDER = path.join(import.meta.dirname, 'receivers');

interface Language {
  name: string;
  /** Prints a version if the language is installed. */
  version: [string, ...string[]];
  /** Builds what is started, if anything has to be built. */
  build?: (folder: string) => [string, ...string[]];
  start: (port: number, folder: string) => [string, ...string[]];
}

const LANGUAGES: Language[] = [
  {
    name: 'Node',
    version: [process.execPath, '--version'],
    start: () => [process.execPath, path.join(FOLDER, 'receiver.mjs')],
  },
  {
    name: 'Python',
    version: ['python3', '--version'],
    start: () => ['python3', path.join(FOLDER, 'receiver.py')],
  },
  {
    name: 'Go',
    version: ['go', 'version'],
    build: (folder) => [
      'go',
      'build',
      '-o',
      path.join(folder, 'receiver'),
      path.join(FOLDER, 'receiver.go'),
    ],
    start: (_port, folder) => [path.join(folder, 'receiver')],
  },
  {
    name: 'PHP',
    version: ['php', '--version'],
    start: (port) => ['php', '-S', `127.0.0.1:${port}`, path.join(FOLDER, 'receiver.php')],
  },
];

describe.concurrent('a correct receiver', () => {
  for (const language of LANGUAGES) {
    const [file, ...args] = language.version;
    const missing = spawnSync(file, args, { stdio: 'ignore' }).status !== 0;
    const title = `in ${language.name} passes with a count probe`;
    test.skipIf(missing)(
      missing ? `${title} (SKIPPED: ${language.name} is not installed)` : title,
      async ({ onTestFinished }) => {
        const { url, effects } = await start(language, onTestFinished);
        const countLines = () => fs.readFileSync(effects, 'utf8').split('\n').length - 1;
        const counted = await runQuickly({ url, probe: countLines });
        expect(wrongOf(counted)).toEqual([]);
        expect(namesOf(counted, 'unseen')).toEqual(['order.no_return']);
        expect(counted.probe).toBe('count');
      },
    );
  }
});

test.concurrent('a correct receiver passes with a text probe', async ({ onTestFinished }) => {
  const { url, textProbe: probe } = await startReceiver({}, onTestFinished);
  const report = await runQuickly({ url, probe });
  expect(wrongOf(report)).toEqual([]);
  expect(namesOf(report, 'unseen')).toEqual(['dup.at_once']);
  expect(report.probe).toBe('text');
});

test.concurrent('a correct receiver passes with a command as a probe', async ({
  onTestFinished,
}) => {
  const folder = makeTemporaryFolder('receiver-');
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  const effects = path.join(folder, 'effects');
  fs.writeFileSync(effects, '');
  const steps: Partial<Steps> = {
    take: ({ id }, { ids }) => {
      if (!ids.has(id)) fs.appendFileSync(effects, `${id}\n`);
      ids.add(id);
    },
  };
  const { url } = await startReceiver(steps, onTestFinished);
  const only = ['right.order.recorded', 'sig.missing', 'dup.*'];
  const report = await runQuickly({ url, probe: `wc -l < '${effects}'`, settleMs: 100, only });
  expect(report.totals).toEqual({ pass: 8, fail: 0, advice: 0, unseen: 0 });
  expect(report.probe).toBe('count');
});

test('without a probe a run takes under 10 s, and what it cannot see is unseen', async () => {
  const { url } = await startReceiver();
  const report = await runReceiverTests({ url, secret: SECRET });
  expect(wrongOf(report)).toEqual([]);
  expect(report.totals).toEqual({ pass: 49, fail: 0, advice: 0, unseen: 7 });
  expect(report.duration_ms).toBeLessThan(10_000);
});

/** `must` checks that do not pass and are not unseen, and advice, with the reason. */
function wrongOf({ checks }: ReceiverTestReport): string[] {
  return checks
    .filter(({ result }) => result === 'fail' || result === 'advice')
    .map(({ id, reason }) => `${id}: ${reason}`);
}

async function start(
  language: Language,
  finished: (end: OnTestFinishedHandler) => void,
): Promise<{ url: string; effects: string }> {
  const folder = makeTemporaryFolder('receiver-');
  finished(() => fs.rmSync(folder, { recursive: true, force: true }));
  const effects = path.join(folder, 'effects');
  fs.writeFileSync(effects, '');
  const [builder, ...buildArgs] = language.build?.(folder) ?? [];
  if (builder !== undefined) {
    const env = { ...process.env, GOFLAGS: '', GO111MODULE: 'off' };
    const { status, stderr } = spawnSync(builder, buildArgs, { env, encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  }
  const [port = 0] = await freePorts(1);
  const [file, ...args] = language.start(port, folder);
  const env = { ...process.env, PORT: String(port), SECRET, EFFECTS: effects };
  const child = spawn(file, args, { env, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  finished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  while (!(await isListening(port))) await sleep(50);
  return { url: `http://127.0.0.1:${port}/webhooks`, effects };
}
