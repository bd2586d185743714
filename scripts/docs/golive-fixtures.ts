import { z } from 'zod';
import { gateSchema } from '../../src/tools/golive/gate.ts';
import { ITEMS } from '../../src/tools/golive/items.ts';
import { ITEMS_VERSION } from '../../src/tools/golive/make-report.ts';

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
