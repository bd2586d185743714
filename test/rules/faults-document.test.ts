import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../src/config/read-config.ts';
import {
  type FieldTable,
  MATCHERS,
  REQUEST_EFFECTS,
  WEBHOOK_EFFECTS,
} from '../../src/faults/fault-fields.ts';
import { ROOT } from '../support/sandlot-process.ts';

// test/e2e/documents.test.ts runs its commands.
const DOCUMENT = fs.readFileSync(path.join(ROOT, 'docs/faults.md'), 'utf8');

test.each([
  ['Match', { match: MATCHERS }],
  ['Effects on requests', { effect: REQUEST_EFFECTS }],
  ['Effects on webhooks', { webhook: WEBHOOK_EFFECTS }],
] as [section: string, tables: Record<string, FieldTable>][])(
  'the section %s of docs/faults.md documents every field with its option',
  (section, tables) => {
    const [, text = ''] = new RegExp(`## ${section}\n([\\s\\S]*?)\n## `).exec(DOCUMENT) ?? [];
    const rows = text.split('\n').filter((line) => line.startsWith('| `'));
    for (const [column, table] of Object.entries(tables)) {
      expect(text).toContain(`| \`${column}\` |`);
      for (const [name, { option }] of Object.entries(table)) {
        const row = rows.find((line) => line.split('|')[1]?.includes(`\`${name}\``));
        expect(row, name).toContain(`\`${option.replace(/ .*/, '')}\``);
      }
    }
  },
);

test('the configuration that docs/faults.md shows is valid', () => {
  const [, json = ''] = /```json\n([\s\S]*?)```/.exec(DOCUMENT) ?? [];
  expect(parseConfig(json, 'faults.md').faults).toHaveLength(2);
});
