import { ENDPOINTS } from '../../api/index.ts';
import { lazily } from '../../kernel/lazily.ts';
import { shortPath } from './evidence.ts';
import type { Item } from './item.ts';
import { makeItems } from './items.ts';

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
