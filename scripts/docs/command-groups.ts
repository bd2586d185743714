import type { Command } from '../../src/cli/command.ts';
import { loadCommands } from '../../src/cli/modules.ts';
import { TOOLS } from '../../src/tools/index.ts';

/** The commands of each help group, in its order. */
export const COMMAND_GROUPS: ReadonlyMap<string, readonly Command[]> = await readGroups();

async function readGroups(): Promise<Map<string, Command[]>> {
  const groups = Map.groupBy(await loadCommands(TOOLS), ({ group }) => group);
  return new Map(
    [...groups].map(([group, modules]) => [group, modules.flatMap(({ commands }) => commands)]),
  );
}
