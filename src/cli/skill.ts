import { readFixture } from '../kernel/fixture.ts';
import type { Command, CommandModule } from './command.ts';

/** A command as tables name it: `orders show ID`. */
export function usageOf({ path, args }: Pick<Command, 'path' | 'args'>): string {
  const names = Object.values(args ?? {}).map((argument) => {
    const shown = `${argument.name().toUpperCase()}${argument.variadic ? '…' : ''}`;
    return argument.required ? shown : `[${shown}]`;
  });
  return [path, ...names].join(' ');
}

/** Returns a skill for coding agents, in the format of SKILL.md: how to set a sandbox up and use it. */
export function skillText(modules: readonly CommandModule[]): string {
  const groups = Map.groupBy(modules, ({ group }) => group);
  const tables = [...groups].map(([group, each]) => {
    const rows = each.flatMap(({ commands }) => commands.map(commandRow));
    return `### ${group}\n\n| command | options | |\n|---|---|---|\n${rows.join('\n')}\n`;
  });
  return `${readFixture('templates/skill.md')}\n${tables.join('\n')}`;
}

function commandRow(command: Command): string {
  const options = Object.values(command.options ?? {})
    .filter(({ hidden }) => !hidden)
    .map(({ long }) => `\`${long}\``);
  return `| \`${usageOf(command)}\` | ${options.join(' ')} | ${command.summary} |`;
}
