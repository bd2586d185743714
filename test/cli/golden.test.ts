import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Command, exampleId } from '../../src/cli/command.ts';
import { VERSION } from '../../src/version.ts';
import { testRuntime } from '../support/runtime.ts';
import { emptyDirectory, ROOT, sandlot } from '../support/sandlot-process.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine, type Finished } from './command-line.ts';
import { COMMANDS, ELSEWHERE, play } from './fixtures.ts';

const FIRST_ORDER = exampleId('ord');
const FIRST_DELIVERY = exampleId('dlv');

/**
 * Help and --json output of every command, a file for each first word. What changes there on purpose is
 * written anew by `npm run golden`, and read in the diff.
 */
const FOLDER = path.join(ROOT, 'test/cli/golden');
/** What they print is a script, a long document, text of another program or different each time, --json or not. */
const NO_JSON = new Set([
  'exec',
  'completion',
  'inventory export',
  'openapi',
  'skill',
  'webhooks gauntlet',
]);

const nouns = Map.groupBy(COMMANDS, ({ path: words }) => words.split(' ')[0] ?? words);

test.each([...nouns])('%s', async (noun, commands) => {
  const parts: string[] = [];
  for (const command of commands) parts.push(await helpOf(command), await jsonOf(command));
  const text = parts.filter((part) => part !== '').join('\n');
  await expect(text).toMatchFileSnapshot(path.join(FOLDER, `${noun}.txt`));
});

test('sandlot', async () => {
  await expect(await helpOf({ path: '' })).toMatchFileSnapshot(path.join(FOLDER, 'sandlot.txt'));
});

test('there is a file for each first word, and no other', () => {
  const files = [...nouns.keys(), 'mistakes', 'sandlot'].map((noun) => `${noun}.txt`);
  expect(fs.readdirSync(FOLDER).toSorted()).toEqual(files.toSorted());
});

/** The help without the common options, which only that of the program has here. */
async function helpOf({ path: words }: Pick<Command, 'path'>): Promise<string> {
  const { stdout } = await commandLine(undefined, { columns: 80 })(`${words} --help`);
  const help = words === '' ? stdout : stdout.replace(/^Common options:\n(?: .*\n)+\n/m, '');
  return `$ sandlot ${`${words} --help`.trim()}\n${help}`;
}

/** The first example, with --json. */
async function jsonOf({ path: words, examples: [example = ''] }: Command) {
  if (NO_JSON.has(words)) return '';
  const line = words === 'start' ? `${example} --detach --json` : `${example} --json`;
  const finished = ELSEWHERE.has(words)
    ? await playElsewhere(words)
    : await played(words, `${example} --json`);
  return `$ ${line}\n${steady(finished)}`;
}

function played(words: string, example: string) {
  // Real time stands too, and whoever sleeps is woken by what he waits for.
  const runtime = {
    ...testRuntime(),
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  return play(words, example, { sandbox: { runtime }, io: { runtime } });
}

async function playElsewhere(words: string): Promise<Played> {
  if (words === 'init') {
    const cwd = stateFolder();
    return { ...(await commandLine(undefined, { cwd })('init --json')), cwd };
  }
  const cwd = emptyDirectory();
  const small = ['--port', '0', '--inventory', '50', '--frozen-at', '2026-03-02T09:00:00Z'];
  const started = sandlot(cwd, ['start', '--detach', ...small, '--json']);
  const stopped = sandlot(cwd, ['stop', '--json']);
  const { status, stdout, stderr } = words === 'start' ? started : stopped;
  return { code: status ?? -1, stdout, stderr, cwd };
}

type Played = Pick<Finished, 'code' | 'stdout' | 'stderr'> & { hookUrl?: string; cwd: string };

/** Command lines as people mistype them, and as they meet what is not there. */
const MISTAKES = [
  'ordres list',
  'orders',
  'orders advnace ord_1',
  'orders show',
  'orders show ord_none',
  'orders list --statsu SETTLED',
  'orders list --status SETLED',
  'orders list --limit 0',
  'orders list --cursor nonsense',
  'orders list --world w9',
  'orders list everything',
  `orders advance ${FIRST_ORDER} --to SETTLED`,
  `orders advance ${FIRST_ORDER} --to MANUAL_REVIEW --action hold`,
  `orders clear ${FIRST_ORDER}`,
  `orders why-not ${FIRST_ORDER} --to CANCELED`,
  'settlements run --partner ptr_none',
  'credentials create --scopes serch,buy',
  'credentials show dmk_none',
  'credentials approve dmk_sandbox_local',
  'inventory add brewpilot',
  'inventory add brewpilot.com',
  'inventory add brewpilot.com --price free',
  'inventory show none.com',
  'inventory set-price held-order.test 0',
  'inventory import missing.csv',
  'inventory import order.json',
  'clock advance soon',
  'clock set 2020-01-01',
  'clock set tomorrow',
  'clock next',
  'clock until event order.setled',
  `clock until order ${FIRST_ORDER}`,
  `clock until order ${FIRST_ORDER} --state SETTLED --within 8d`,
  'wait',
  'wait order ord_none --state SETTLED',
  `wait event order.settled --for ${FIRST_ORDER} --timeout 0s`,
  'wait webhook order.recorded --exactly 2 --timeout 0s',
  'wait webhook order.recorded --exactly 2 --count 1',
  'worlds show w9',
  'worlds create default',
  'worlds create W1',
  'snapshots restore none',
  'webhooks fire order.setled',
  'webhooks fire order.settled --set data.order.stauts=X',
  'webhooks retry dlv_none',
  `webhooks retry ${FIRST_DELIVERY}`,
  'webhooks unregister',
  'webhooks unregister http://127.0.0.1:9/',
  'events resend evt_none',
  'faults clear flt_none',
  'faults add',
  'requests show req_none',
  'checkout pay cs_none',
  'brokerage advance brk_none',
  'request GET orders',
  'request FETCH /api/partner/v1/orders',
  'request POST /api/partner/v1/quotes --data {',
  'request GET /api/partner/v1/nothing',
  'request GET /api/partner/v1/orders --as dmk_none',
  'completion tcsh',
  'exec',
  'doctor --port 0 --url nonsense',
];

test('mistakes', async () => {
  const parts: string[] = [];
  for (const line of MISTAKES) {
    const finished = await played('mistakes', line);
    expect([1, 2], line).toContain(finished.code);
    expect(finished.stderr + finished.stdout, line).not.toMatch(/bug in sandlot|\n +at /);
    parts.push(`$ sandlot ${line}\n${steady(finished)}`);
  }
  for (const line of ['orders list', 'clock advance 1h --url http://127.0.0.1:4010']) {
    const cwd = stateFolder();
    const finished = await commandLine(undefined, { cwd })(line);
    parts.push(`$ sandlot ${line}\n${steady({ ...finished, cwd })}`);
  }
  await expect(parts.join('\n')).toMatchFileSnapshot(path.join(FOLDER, 'mistakes.txt'));
});

/** What was printed, without what is another on every machine and at every run. */
function steady({ code, stdout, stderr, hookUrl, cwd }: Played): string {
  const said = [
    stdout,
    stderr === '' ? '' : `on stderr:\n${stderr}`,
    code === 0 ? '' : `exit ${code}\n`,
  ]
    .join('')
    .replaceAll(hookUrl ?? '\0', 'http://127.0.0.1:4020/')
    .replaceAll(fs.realpathSync(cwd), '/work')
    .replaceAll(cwd, '/work')
    .replaceAll(`"version": "${VERSION}"`, '"version": "1.2.3"')
    .replaceAll(`version ${VERSION}`, 'version 1.2.3');
  return STEADY.reduce((text, [pattern, instead]) => text.replace(pattern, instead), said);
}

const STEADY: [RegExp, string][] = [
  [/http:\/\/127\.0\.0\.1:(?!4020|4010)\d{4,5}/g, 'http://127.0.0.1:4321'],
  [/"size_bytes": \d+/g, '"size_bytes": 400000'],
  [/"pid": \d+/g, '"pid": 1234'],
  [/pid \d+/g, 'pid 1234'],
  [/"(started_at)": "[^"]+"/g, '"$1": "2026-03-02T09:00:00.000Z"'],
  [/"(duration_ms|offset_ms)": ?-?[\d.]+/g, '"$1": 0'],
  [/whsec_[0-9a-f]{32}/g, 'whsec_0123456789abcdef0123456789abcdef'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '00000000-0000-4000-8000-000000000000'],
  [/(X-Service-Signature"?: "?v1=)[0-9a-f]{64}/g, '$1<64 hex digits>'],
  [/v1=[0-9a-f]{8}… \[redacted\]/g, 'v1=01234567… [redacted]'],
  [/("signature": "(?:v1=)?)[0-9a-f]{64}/g, '$1<64 hex digits>'],
  [/Node\.js [\d.]+ on \w+ \w+/g, 'Node.js 24.0.0 on linux x64'],
  [/^(\d{3} [A-Za-z ]+) {2}\d+ ms$/gm, '$1  1 ms'],
  [/SQLite [\d.]+/g, 'SQLite 3.50.0'],
  [/\d+ MB free at [^"\s]+/g, '1000 MB free at /work'],
];
