import fs from 'node:fs';
import path from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { lengthOf } from '../../src/cli/layout.ts';
import { DEFAULT_DATA_DIR } from '../../src/server/record.ts';
import { startServer } from '../../src/server/start-server.ts';
import { command } from '../support/command-server.ts';
import { emptyDirectory } from '../support/sandlot-process.ts';
import { onTerminal, terminalTest } from '../support/terminal.ts';

const COLOUR = '\u001b[';
const WIDE = '珈琲の店、東京で一番美味しいコーヒー豆を毎日焙煎しています';

/** Starts a server in this process; commands find it by the state folder. */
async function serve(cwd: string): Promise<void> {
  const server = await startServer({
    data_dir: path.join(cwd, DEFAULT_DATA_DIR),
    port: 0,
    inventory: 20,
    frozen_at: '2026-03-02T09:00:00Z',
  });
  onTestFinished(() => server.close());
}

/** A server with a listing in wide characters. */
async function shop(): Promise<string> {
  const cwd = emptyDirectory();
  await serve(cwd);
  const price = ['--price', '1999.00', '--category', WIDE];
  expect((await command(cwd, ['inventory', 'add', 'kohi.com', ...price])).status).toBe(0);
  return cwd;
}

/** Enough rows for a bar that is drawn more than once. */
function manyNames(cwd: string): string {
  const rows = Array.from({ length: 5_000 }, (_, n) => `brew-pilot-${n}.com,${10_000 + n}\n`);
  fs.writeFileSync(path.join(cwd, 'names.csv'), `domain,price_cents\n${rows.join('')}`);
  return 'names.csv';
}

terminalTest('tables fit terminals of 40, 80 and 200 columns, wide characters too', async () => {
  const cwd = await shop();
  for (const columns of [40, 80, 200]) {
    const { status, lines } = await onTerminal(columns, ['inventory', 'list', '--limit', '5'], {
      cwd,
    });
    expect(status).toBe(0);
    const table = lines.slice(0, 6);
    for (const line of table) expect(lengthOf(line), line).toBeLessThanOrEqual(columns);
    // A price is never cut; where there is no room, the last columns are left out.
    expect(table[1]).toMatch(/^kohi\.com +\$1,999\.00(?: |$)/);
    expect(table[0]).toMatch(
      columns === 40 ? /^DOMAIN +PRICE(?: +FLOOR)?$/ : /^DOMAIN +PRICE +FLOOR +STATUS +CATE/,
    );
    expect(table[1]?.includes(WIDE)).toBe(columns === 200);
    if (columns === 80) expect(table[1]).toMatch(/listed +珈.*…$/);
  }
});

terminalTest('columns are aligned after wide characters', async () => {
  const cwd = emptyDirectory();
  await serve(cwd);
  const partner = ['--partner', '日本語パートナー', '--key-id', 'dmk_wide', '--secret', 's'];
  await command(cwd, ['credentials', 'create', ...partner]);
  const { lines } = await onTerminal(200, ['credentials', 'list'], { cwd });
  const [head = '', ...rows] = lines;
  const column = head.indexOf('ENVIRONMENT');
  for (const row of rows) expect(lengthOf(row.split('SANDBOX')[0] ?? '')).toBe(column);
});

terminalTest('there are colors on a terminal, and none with NO_COLOR or in a pipe', async () => {
  const cwd = await shop();
  const args = ['status'];
  expect((await onTerminal(80, args, { cwd })).raw).toContain(COLOUR);
  expect((await onTerminal(80, args, { cwd, env: { NO_COLOR: '1' } })).raw).not.toContain(COLOUR);
  expect((await onTerminal(80, args, { cwd, more: '| cat' })).raw).not.toContain(COLOUR);
  expect((await onTerminal(80, ['--json', ...args], { cwd })).raw).not.toContain(COLOUR);
});

terminalTest(
  'an import shows its progress in one line of the terminal, and takes it away',
  async () => {
    const cwd = await shop();
    const file = manyNames(cwd);
    for (const columns of [40, 80, 200]) {
      const args = ['inventory', 'import', file, '--mode', 'replace'];
      const { status, raw, lines } = await onTerminal(columns, args, { cwd });
      expect(status).toBe(0);
      const drawn = raw.split('\r\u001b[K').slice(1, -1);
      expect(drawn.length).toBeGreaterThan(0);
      for (const line of drawn) {
        expect(line).not.toContain('\n');
        expect(lengthOf(line)).toBeLessThan(columns);
        expect(line).toMatch(/^\[=* *\] +\d+% {2}\d/);
      }
      expect(drawn.at(-1)).toContain('100%');
      expect(lines).toEqual([
        expect.stringMatching(/^sandbox: http:/),
        expect.stringMatching(/^SANDBOX: \d+ added, \d+ removed$/),
      ]);
    }
  },
);

terminalTest('progress goes to stderr, and only to a terminal', async () => {
  const cwd = await shop();
  const args = ['inventory', 'import', manyNames(cwd), '--mode', 'replace', '--json'];
  const shown = await onTerminal(80, args, { cwd, more: '> out.json' });
  expect(shown.raw).toContain('100%');
  expect(JSON.parse(fs.readFileSync(path.join(cwd, 'out.json'), 'utf8'))).toMatchObject({
    environment: 'SANDBOX',
  });
  const hidden = await onTerminal(80, args, { cwd, more: '2> err.txt' });
  expect(JSON.parse(hidden.raw)).toMatchObject({ environment: 'SANDBOX' });
  expect(fs.readFileSync(path.join(cwd, 'err.txt'), 'utf8')).toMatch(/^sandbox: http:\S+\n$/);
});
