import type { Item } from './item.ts';
import type { ItemRule } from './rule.ts';
import { FAMILY_RULES } from './rules/families.ts';
import { HOOK_RULES } from './rules/hook-rules.ts';
import { READ_RULES } from './rules/read-rules.ts';
import { REQUEST_RULES } from './rules/request-rules.ts';
import { RETRY_RULES } from './rules/retry-rules.ts';
import { SALE_RULES } from './rules/sale-rules.ts';

export const RULES: readonly ItemRule[] = [
  ...FAMILY_RULES,
  ...REQUEST_RULES,
  ...RETRY_RULES,
  ...SALE_RULES,
  ...HOOK_RULES,
  ...READ_RULES,
];

/** In the order of the report. */
export const ITEMS: readonly Item[] = RULES.flatMap(({ items }) => items);
