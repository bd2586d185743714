import { option } from './declare.ts';
import type { Output } from './output.ts';
import { wholeNumber } from './values.ts';

/** Options of every command that lists. */
export const PAGE_OPTIONS = {
  limit: option(
    '--limit <count>',
    'at most this many, 1 to 100 (default: 25)',
    wholeNumber(1, 100),
  ),
  cursor: option('--cursor <cursor>', 'go on where a list ended'),
};

/** Says how to see the rest of a list, where there is one. */
export function tellNextPage(out: Output, { next_cursor }: { next_cursor: string | null }): void {
  if (next_cursor !== null) out.note(`there are more: --cursor ${next_cursor}`);
}
