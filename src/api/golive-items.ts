import { shortPath } from '../coverage/evidence.ts';
import type { Item } from '../coverage/item.ts';
import { makeItems } from '../coverage/items.ts';
import { lazily } from '../kernel/lazily.ts';
import { ENDPOINTS } from './index.ts';

export const goliveItems: () => readonly Item[] = lazily(() =>
  makeItems(
    ENDPOINTS.map(({ name, method, path, query }) => ({
      name,
      method,
      path: shortPath(path).replaceAll(/:(\w+)/g, '{$1}'),
      pages: (['cursor', 'after_id'] as const).find((each) => query && each in query.shape),
    })),
  ),
);
