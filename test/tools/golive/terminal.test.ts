import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { lengthOf } from '../../../src/cli/layout.ts';
import { commandLine } from '../../cli/command-line.ts';
import { stateFolder } from '../../support/state-folder.ts';
import { exportOf, NOW, observation, source } from './exports.ts';

const HOSTILE = '<script>\u001b[2J\u202e\r\n';
const LONG = `POST /orders → 409 conflict, same body, another key, key ${'5f0c-'.repeat(20)} ${HOSTILE}`;

async function print(terminal: { columns?: number; isTTY?: boolean; env?: object }) {
  const cwd = stateFolder();
  const write = (name: string, content: object) =>
    fs.writeFileSync(path.join(cwd, name), JSON.stringify(content));
  const evidence = [
    { kind: 'request' as const, id: 'req_1', world: HOSTILE, at: NOW, text: LONG.slice(0, 200) },
  ];
  const observations = [
    observation('call.postOrder', 'used'),
    observation('hook.status_200', 'used'),
    observation('sale.lost_response', 'contradicted', { evidence }),
    observation('request.known_fields', 'contradicted', { evidence }),
    observation(`gone.${HOSTILE}`, 'met'),
  ];
  write('a.json', exportOf(source(observations, { label: HOSTILE })));
  const waive = [{ id: 'hook.reordered', reason: `${'Because '.repeat(20)}${HOSTILE}` }];
  const require = ['hook.reordered', 'hook.rejects_forgery', 'money.statement_read'];
  write('gate.json', { items_version: 1, uses: ['quotes'], require, waive });
  const given = terminal as { columns?: number; isTTY?: boolean };
  const { stdout } = await commandLine(undefined, { cwd, ...given })(
    'golive --from a.json --gate gate.json',
  );
  return stdout;
}

describe('the report on a terminal', () => {
  test.each([60, 80, 120])(
    'of %d columns breaks text, and leaves commands whole',
    async (columns) => {
      const output = await print({ columns, isTTY: true, env: { NO_COLOR: '1' } });
      const tooLong = output
        .split('\n')
        .filter((line) => lengthOf(line) > columns && !/sandlot |-5f0c-|<script>/.test(line));
      expect(tooLong).toEqual([]);
      expect(output).toContain(
        'sandlot faults add --method POST --path /orders --drop after --times 1',
      );
    },
  );

  test('shows contradictions first, and those of advice after open items', async () => {
    const output = await print({});
    const heads = output.match(/^[✗!-] \S+/gmu);
    expect(heads).toEqual([
      '✗ Go-live',
      '✗ sale.lost_response',
      '✗ hook.rejects_forgery',
      '✗ money.statement_read',
      '! request.known_fields',
      '✗ feature',
      '- hook.reordered',
    ]);
    expect(output).toContain('feature quotes  was not used, but the gate lists it in uses');
  });

  test.each([{ isTTY: true, columns: 80 }, {}])(
    'escapes what partners sent: %j',
    async (terminal) => {
      const output = await print({ ...terminal, env: { NO_COLOR: '1' } });
      for (const char of ['\u001b', '\u202e', '\r', '\n\n ']) expect(output).not.toContain(char);
      expect(output).toContain('\\u001b[2J\\u202e');
    },
  );

  test('names open advice, and says where to run commands if it has no sandbox', async () => {
    const output = await print({});
    expect(output).toContain('\nRun these commands from your tests, or with a sandbox');
    expect(output).toMatch(/\nOpen, not required: .*error\.forbidden, .*hook\.tested/);
    expect(output).not.toMatch(/\nOpen, not required: .*hook\.(reordered|rejects_forgery)/);
  });

  test('has colors on a terminal only', async () => {
    expect(await print({ isTTY: true, columns: 80 })).toContain('\u001b[31m✗');
    expect(await print({})).not.toContain('\u001b');
  });
});

test('a receiver that timed out gets the hint that a test may have blocked its process', async () => {
  const cwd = stateFolder();
  const late = exportOf(source([observation('hook.in_time', 'contradicted')]));
  fs.writeFileSync(path.join(cwd, 'a.json'), JSON.stringify(late));
  const { stdout } = await commandLine(undefined, { cwd })('golive --from a.json');
  const shown = stdout.slice(stdout.indexOf('✗ hook.in_time'));
  expect(shown).toContain('A test that blocks its own process, for example with execFileSync');
});

test('a report without a request asks whether the client uses the variables of sandlot', async () => {
  const cwd = stateFolder();
  fs.writeFileSync(path.join(cwd, 'a.json'), JSON.stringify(exportOf(source([], { requests: 0 }))));
  const { stdout } = await commandLine(undefined, { cwd })('golive --from a.json');
  expect(stdout).toContain('No request was observed. Does your client use SANDLOT_URL');
});
