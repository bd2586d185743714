import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { gateSchema } from '../../../src/tools/golive/gate.ts';
import { ITEMS } from '../../../src/tools/golive/items.ts';
import { ITEMS_VERSION } from '../../../src/tools/golive/make-report.ts';
import type { ToolDocs } from '../tools.ts';

export interface ItemList {
  items_version: number;
  items: { id: string; level: string; title: string; since: number; rev: number }[];
  /** Ids of items that only older versions have. */
  removed: string[];
}

/** Returns the list of items; ids of `published` without an item are kept as removed. */
export function itemList(published: ItemList): ItemList {
  const items = ITEMS.map(({ id, level, title, since, rev }) => ({
    id,
    level,
    title,
    since,
    rev,
  }));
  const current = new Set(items.map(({ id }) => id));
  const known = [...published.items.map(({ id }) => id), ...published.removed];
  const removed = [...new Set(known)].filter((id) => !current.has(id)).sort();
  return { items_version: ITEMS_VERSION, items, removed };
}

/** Returns the JSON Schema of the gate file, with all ids for completion in editors. */
export function gateJsonSchema(): object {
  const schema = z.toJSONSchema(gateSchema(ITEMS.map(({ id }) => id)), { io: 'input' });
  return { ...schema, title: 'sandlot.golive.json' };
}

const LIST = path.join(import.meta.dirname, '../../../fixtures/golive-items.json');

export const golive: ToolDocs = {
  sections: { 'docs/golive.md': { items: itemTable } },
  types: { 'tools/golive/settings.ts': ['GoliveSettings'] },
  fixtures: {
    'golive-items.json': () => itemList(JSON.parse(fs.readFileSync(LIST, 'utf8')) as ItemList),
    'golive.schema.json': gateJsonSchema,
  },
  recordCalls: async ({ callControl }) => {
    await callControl('getGolive', 'met', { parameters: { group: 'hook', status: 'met' } });
    await callControl('getGoliveExport', 'labelled', { parameters: { label: 'shard 1' } });
    const content = { items_version: 1, require: ['hook.tested'] };
    await callControl('postGolive', 'with_a_gate', {
      body: { gate: { file: 'sandlot.golive.json', content } },
    });
    await callControl('deleteObservations', 'one_item', { parameters: { id: 'hook.tested' } });
  },
};

function itemTable(): string {
  const rows = ITEMS.map(({ id, level, title }) => `| \`${id}\` | ${level} | ${title} |`);
  const must = ITEMS.filter(({ level }) => level === 'must').length;
  const counts = `${ITEMS.length} items: ${must} \`must\` and ${ITEMS.length - must} \`advice\`.`;
  return [counts, '', '| item | level | |', '|---|---|---|', ...rows].join('\n');
}
