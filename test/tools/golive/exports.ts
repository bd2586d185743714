import type { GoliveExport, Source } from '../../../src/tools/golive/export-file.ts';
import { ITEMS } from '../../../src/tools/golive/items.ts';
import type { Observation } from '../../../src/tools/golive/observation.ts';

export const NOW = Date.UTC(2026, 2, 2, 9);

const REVS = new Map(ITEMS.map(({ id, rev }) => [id, rev]));

export const observation = (
  item: string,
  result: Observation['result'],
  more: Partial<Observation> = {},
): Observation => ({
  item,
  result,
  rev: REVS.get(item) ?? 1,
  count: 1,
  first_at: NOW - 1_000,
  last_at: NOW,
  evidence: [
    { kind: 'request', id: 'req_1', world: 'default', at: NOW, text: 'POST /orders → 201' },
  ],
  ...more,
});

export const source = (observations: Observation[], more: Partial<Source> = {}): Source => ({
  run: 'run_1',
  export: `of ${more.run ?? 'run_1'}`,
  label: null,
  worlds: ['default'],
  from: NOW - 1_000,
  to: NOW,
  requests: 3,
  attempts: 1,
  made_at: NOW,
  observations,
  ...more,
});

export const exportOf = (...sources: Source[]): GoliveExport => ({
  format: 'sandlot-golive',
  version: 1,
  sandlot: '0.1.0',
  sources,
});
