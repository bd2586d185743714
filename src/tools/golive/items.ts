import type { Item } from './item.ts';
import type { AnyRule } from './rule.ts';
import { FAMILIES } from './rules/families.ts';
import { HOOK_RULES } from './rules/hook-rules.ts';
import { READ_RULES } from './rules/read-rules.ts';
import { REQUEST_RULES } from './rules/request-rules.ts';
import { RETRY_RULES } from './rules/retry-rules.ts';
import { SALE_RULES } from './rules/sale-rules.ts';

/** The rules that each declare an item. */
const BEHAVIOR_RULES: readonly AnyRule[] = [
  ...REQUEST_RULES,
  ...RETRY_RULES,
  ...SALE_RULES,
  ...HOOK_RULES,
  ...READ_RULES,
];

export const RULES: readonly AnyRule[] = [...FAMILIES.map(({ rule }) => rule), ...BEHAVIOR_RULES];

/** In the order of the report. */
export const ITEMS: readonly Item[] = [
  ...FAMILIES.flatMap(({ items }) => items),
  ...BEHAVIOR_RULES.flatMap(({ item }): Item[] => {
    if (typeof item === 'string') return [];
    const { needs, ...declared } = item;
    return [{ rev: 1, since: 1, needs: needs ? [needs] : [], ...declared }];
  }),
];
