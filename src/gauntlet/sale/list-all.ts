import type { ControlClient } from '../../client/control-client.ts';

export const PAGE = '100';

export async function all<Item>(
  control: ControlClient,
  path: string,
  name: string,
  query = {},
): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  do {
    const page = await control.get<Record<string, unknown>>(path, {
      ...query,
      limit: PAGE,
      cursor,
    });
    items.push(...(page[name] as Item[]));
    cursor = (page.next_cursor as string | null) ?? undefined;
  } while (cursor !== undefined);
  return items;
}
