import { ITEMS } from '../../../src/tools/golive/items.ts';
import type { ToolDocs } from '../tools.ts';

export const golive: ToolDocs = {
  sections: { 'docs/golive.md': { items: itemTable } },
};

/** A row for each group. */
function itemTable(): string {
  const groups = Map.groupBy(ITEMS, ({ id }) => id.slice(0, id.indexOf('.')));
  const rows = [...groups].map(([group, items]) => {
    const names = items.map(
      ({ id, level }) => `\`${id.slice(group.length + 1)}\`${level === 'advice' ? '*' : ''}`,
    );
    return `| \`${group}\` | ${names.join(', ')} |`;
  });
  const must = ITEMS.filter(({ level }) => level === 'must').length;
  const counts = `${ITEMS.length} items: ${must} \`must\`, and ${ITEMS.length - must} \`advice\`, marked with *. \`golive --all\` lists them with their titles.`;
  return [counts, '', '| group | items |', '|---|---|', ...rows].join('\n');
}
