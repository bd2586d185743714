import { ENDPOINTS } from '../../src/api/index.ts';
import type { CommandDeclaration } from '../../src/cli/command.ts';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { topicOf } from '../../src/cli/topics.ts';
import { MAGIC_DOMAINS } from '../../src/market/inventory/magic-domains.ts';

/** The parts of the README that are read off the code, by the name of their marker. */
const SECTIONS: Record<string, () => string> = {
  commands: commandTable,
  magic: magicTable,
  endpoints: endpointTable,
};

/** The README with every marked part made anew. @throws Error when a marker is missing */
export function withSections(readme: string): string {
  return Object.entries(SECTIONS).reduce((text, [name, make]) => {
    const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
    const [start, end] = [text.indexOf(open), text.indexOf(close)];
    if (start < 0 || end < start) throw new Error(`the README has no part marked ${name}`);
    return `${text.slice(0, start)}${open}${make()}\n${text.slice(end)}`;
  }, readme);
}

/** A row per section, with the verbs of each noun. */
function commandTable(): string {
  const sections = Map.groupBy(COMMANDS, ({ path }) => topicOf(path.split(' ')[0] ?? path).section);
  const rows = [...sections].map(([title, commands]) => {
    const nouns = Map.groupBy(commands, ({ path }) => path.split(' ')[0] ?? path);
    return `| ${title} | ${[...nouns].map(([noun, each]) => nounPart(noun, each)).join(' · ')} |`;
  });
  return ['| | |', '|---|---|', ...rows].join('\n');
}

function nounPart(noun: string, commands: readonly CommandDeclaration[]): string {
  const verbs = commands.map(({ path }) => path.slice(noun.length + 1)).filter(Boolean);
  return [`\`${noun}\``, verbs.join(', ')].filter(Boolean).join(' ');
}

function magicTable(): string {
  const rows = MAGIC_DOMAINS.map(({ domain, says }) => `| \`${domain}\` | ${says} |`);
  return ['| domain | behaviour |', '|---|---|', ...rows].join('\n');
}

function endpointTable(): string {
  const rows = ENDPOINTS.map(
    ({ method, path, scopes, rateClass, summary }) =>
      `| \`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\` | ${scopes.join(' or ')} | ${rateClass} | ${summary} |`,
  );
  return ['| endpoint | scope | rate class | |', '|---|---|---|---|', ...rows].join('\n');
}
