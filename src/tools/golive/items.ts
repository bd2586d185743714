import type { Item } from './item.ts';
import type { AnyRule, BehaviorRule } from './rule.ts';
import { FAMILIES } from './rules/families.ts';
import { HOOK_RULES } from './rules/hook-rules.ts';
import { READ_RULES } from './rules/read-rules.ts';
import { REQUEST_RULES } from './rules/request-rules.ts';
import { RETRY_RULES } from './rules/retry-rules.ts';
import { SALE_RULES } from './rules/sale-rules.ts';

/** The rules that each declare an item. */
const BEHAVIORS: readonly BehaviorRule[] = [
  ...REQUEST_RULES,
  ...RETRY_RULES,
  ...SALE_RULES,
  ...HOOK_RULES,
  ...READ_RULES,
];

export const RULES: readonly AnyRule[] = [...FAMILIES.map(({ rule }) => rule), ...BEHAVIORS];

/** In the order of the report. */
export const ITEMS: readonly Item[] = [...FAMILIES.flatMap(({ items }) => items), ...BEHAVIORS];
