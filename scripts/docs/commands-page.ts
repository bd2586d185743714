import type { CommandDeclaration } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { topicOf } from '../../src/cli/topics.ts';

const HEAD = `# Commands

What every command does, with examples that run as they stand: their ids are the first that a fresh
sandbox gives out. \`sandlot COMMAND --help\`
has the options besides. This page is written by \`npm run docs\`.

Every command takes \`--json\`, \`--url\`, \`--world\`, \`--data-dir\`, \`--control-token\` and
\`--control-token-file\`. The result goes to stdout, with \`--json\` as one document whose members stay; everything else goes to stderr, and progress only to a
terminal. \`NO_COLOR\` is honoured, nothing ever prompts. Lists page with \`--limit\` and \`--cursor\`.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | the sandbox refused, or a check failed |
| 2 | the command line or the configuration file is wrong |
| 3 | no sandbox answers |
`;

/** docs/commands.md, read off the declarations: by section, in the order of the help. */
export function commandsPage(): string {
  const sections = Map.groupBy(COMMANDS, ({ path }) => topicOf(path.split(' ')[0] ?? path).section);
  const parts = [...sections].map(
    ([title, commands]) => `## ${title}\n\n${commands.map(commandPart).join('\n')}`,
  );
  return [HEAD, ...parts].join('\n');
}

/** A command as the tables and headings name it: `orders show ID`. */
export function usageOf({ path, args }: Pick<CommandDeclaration, 'path' | 'args'>): string {
  const names = Object.entries(args ?? {}).map(([name, { required, variadic }]) => {
    const shown = `${name.replaceAll('_', '-').toUpperCase()}${variadic ? '…' : ''}`;
    return required ? shown : `[${shown}]`;
  });
  return [path, ...names].join(' ');
}

function commandPart(command: CommandDeclaration): string {
  const { summary, details, examples } = command;
  const text =
    details === undefined ? summary : `${summary} ${details.replaceAll(/\s*\n\s*/g, ' ')}`;
  return `### \`${usageOf(command)}\`\n\n${text}\n\n\`\`\`sh\n${examples.join('\n')}\n\`\`\`\n`;
}
