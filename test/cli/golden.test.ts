import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { type Command, exampleId } from '../../src/cli/command.ts';
import { testRuntime } from '../support/runtime.ts';
import { ROOT } from '../support/sandlot-process.ts';
import { stateFolder } from '../support/state-folder.ts';
import { commandLine, type Finished } from './command-line.ts';
import { COMMANDS, sceneFor } from './fixtures.ts';

const FIRST_ORDER = exampleId('ord');
const FIRST_DELIVERY = exampleId('dlv');

/** The help of every command, a file for each first word, and errors. `npm run golden` writes them; read the diff. */
const FOLDER = path.join(ROOT, 'test/cli/golden');
const nouns = Map.groupBy(COMMANDS, ({ path: words }) => words.split(' ')[0] ?? words);

test.each([...nouns])('%s', async (noun, commands) => {
  const parts = await Promise.all(commands.map(helpOf));
  await expect(parts.join('\n')).toMatchFileSnapshot(path.join(FOLDER, `${noun}.txt`));
});

test('sandlot', async () => {
  await expect(await helpOf({ path: '' })).toMatchFileSnapshot(path.join(FOLDER, 'sandlot.txt'));
});

test('there is a file for each first word, and no other', () => {
  const files = [...nouns.keys(), 'mistakes', 'sandlot'].map((noun) => `${noun}.txt`);
  expect(fs.readdirSync(FOLDER).toSorted()).toEqual(files.toSorted());
});

/** The help, without the examples, which examples.test.ts runs, and with the common options only for the program. */
async function helpOf({ path: words }: Pick<Command, 'path'>): Promise<string> {
  const { stdout } = await commandLine(undefined, { columns: 80 })(`${words} --help`);
  const common = /^Common options:\n(?: .*\n)+\n?/m;
  const help = words === '' ? stdout : stdout.replace(common, '').replace(/\nExamples:\n.*/s, '');
  return `$ sandlot ${`${words} --help`.trim()}\n${help.trimEnd()}\n`;
}

type Played = Pick<Finished, 'code' | 'stdout' | 'stderr'> & { hookUrl?: string; cwd: string };

/** Command lines as people mistype them, and as they meet what is not there. */
const MISTAKES = [
  'ordres list',
  'orders',
  'orders advnace ord_1',
  'clock advnace 1h',
  'rest',
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
  'worlds delete w9',
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
  'orders shwo x',
  'orders list --status yesterday',
  'orders why-not x',
  'exec --seed -- true',
  'clock advance -5m',
  'clock advance --by 5m',
  'inventory set-price a.test -5',
  'inventory add a.com --price 1.234',
  'inventory add shop --price 10',
  'inventory add new-name.com --price 10 --floor 20',
  'inventory import .',
  'inventory import names.txt',
  'inventory import names.csv --format xml',
  'worlds export default none/w.db',
  'worlds export default .',
  'worlds create w2 --fork w9',
  'worlds create w2 --fork default --seed 1',
  'snapshots save "a b"',
  'status --url nonsense',
  'start --rate-limit search=0',
  'start --rate-limit search=1 --no-rate-limits',
  'request GET /x?a=%zz',
  'request GET /x --data {}',
  'request POST /x --data @none.json',
  'request GET /x --header nonsense',
  'request GET /x --world w1',
  'credentials create --key-id "a b" --secret s',
  'webhooks register --url http://169.254.169.254/ --secret s',
  'webhooks unregister --env LIVE',
  'webhooks fire order.settled --order ord_none',
  'requests list --where status:9',
  'wait event order.settled --timeout 0s --for x --world w9',
  'faults add --status 503',
  'faults add --path /order --status 500',
  'faults add --code rate_limit',
  'faults add --event order.settled --status 500',
  'faults add --nth 0 --status 500',
  'faults add --nth 2 --every 2 --status 500',
  'faults add --probability 2 --status 500',
  'faults add --delay-when after',
  'faults add --delay 5s --delay-when later',
  'faults add --drop during',
  'faults add --drop before --code rate_limited',
  'faults add --code rate_limited --webhook drop',
  'faults add --webhook dup',
  'faults add --webhook delay',
  'faults add --webhook drop=no',
  'verify',
  'verify --method GET --path /x',
  'completion tcsh',
  'exec',
  'doctor --port 0 --url nonsense',
];

test('mistakes', async () => {
  // Real time stands still too; a timeout still ends a wait.
  const runtime = {
    ...testRuntime(),
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => resolve(), { once: true });
      }),
  };
  const { run, hookUrl, cwd } = await sceneFor('mistakes', '', {
    sandbox: { runtime },
    io: { runtime },
  });
  const parts: string[] = [];
  for (const line of MISTAKES) {
    const finished = { ...(await run(line)), hookUrl, cwd };
    expect([1, 2], line).toContain(finished.code);
    expect(finished.stderr + finished.stdout, line).not.toMatch(/bug in sandlot|\n +at /);
    parts.push(`$ sandlot ${line}\n${steady(finished)}`);
  }
  for (const line of ['orders list', 'clock advance 1h --url http://127.0.0.1:4010']) {
    const folder = stateFolder();
    const finished = await commandLine(undefined, { cwd: folder })(line);
    parts.push(`$ sandlot ${line}\n${steady({ ...finished, cwd: folder })}`);
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
    .replaceAll(cwd, '/work');
  return STEADY.reduce((text, [pattern, instead]) => text.replace(pattern, instead), said);
}

const STEADY: [RegExp, string][] = [
  [/Node\.js [\d.]+ on \w+ \w+/g, 'Node.js 24.0.0 on linux x64'],
  [/^(\d{3} [A-Za-z ]+) {2}\d+ ms$/gm, '$1  1 ms'],
];
