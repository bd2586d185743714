import { ENDPOINTS } from '../../src/api/index.ts';
import { COMMANDS } from '../../src/cli/commands/index.ts';
import { MAGIC_DOMAINS } from '../../src/market/inventory/magic-domains.ts';
import { usageOf } from './commands-page.ts';

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

function commandTable(): string {
  const rows = COMMANDS.map((command) => `| \`${usageOf(command)}\` | ${command.summary} |`);
  return ['| command | what it does |', '|---|---|', ...rows].join('\n');
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
