import { ENDPOINTS } from '../../src/api/index.ts';
import type { Command } from '../../src/cli/command.ts';
import { EVENT_KINDS } from '../../src/events/event-types.ts';
import { MAGIC_DOMAINS } from '../../src/market/inventory/magic-domains.ts';
import { checksTable, pipelineText } from './checks.ts';
import { COMMAND_GROUPS } from './command-groups.ts';
import { inProcessTypes } from './in-process-types.ts';
import { settingsTable } from './settings.ts';
import { TOOL_DOCS } from './tools.ts';

/** What generates each section, by document and name; the section is between `<!-- name -->` and `<!-- /name -->`. */
export const GENERATED: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'README.md': { commands: commandTable },
  'docs/magic-domains.md': { magic: magicTable },
  'docs/webhooks.md': { events: eventTable },
  'docs/fidelity.md': { endpoints: endpointTable, checks: checksTable },
  'docs/configuration.md': { settings: settingsTable },
  'docs/in-process-api.md': { types: inProcessTypes },
  'src/README.md': { pipeline: pipelineText },
  ...Object.assign({}, ...TOOL_DOCS.map(({ sections }) => sections)),
};

/** Returns the text of a document with its sections generated again. @throws Error if a marker is missing */
export function withSections(document: string, text: string): string {
  return Object.entries(GENERATED[document] ?? {}).reduce((current, [name, generate]) => {
    const [open, close] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
    const [start, end] = [current.indexOf(open), current.indexOf(close)];
    if (start < 0 || end < start) throw new Error(`${document} has no section marked ${name}`);
    return `${current.slice(0, start)}${open}${generate()}\n${current.slice(end)}`;
  }, text);
}

/** A row per command group, with the verbs of each noun. */
function commandTable(): string {
  const rows = [...COMMAND_GROUPS].map(([title, group]) => {
    const nouns = Map.groupBy(group, ({ path }) => path.split(' ')[0] ?? path);
    return `| ${title} | ${[...nouns].map(([noun, commands]) => nounPart(noun, commands)).join(' · ')} |`;
  });
  return ['| | |', '|---|---|', ...rows].join('\n');
}

/** `orders` list, show, advance */
function nounPart(noun: string, commands: readonly Command[]): string {
  const verbs = commands.map(({ path }) => path.slice(noun.length + 1)).filter(Boolean);
  return [`\`${noun}\``, verbs.join(', ')].filter(Boolean).join(' ');
}

function magicTable(): string {
  const rows = MAGIC_DOMAINS.map(
    ({ domain, listed, price_cents: cents, description }) =>
      `| \`${domain}\` | ${listed ? cents : ''} | ${description} |`,
  );
  return ['| domain | price in cents | behavior |', '|---|---|---|', ...rows].join('\n');
}

function eventTable(): string {
  const rows = Object.entries(EVENT_KINDS).map(
    ([type, { meaning }]) => `| \`${type}\` | ${meaning} |`,
  );
  return ['| type | meaning |', '|---|---|', ...rows].join('\n');
}

function endpointTable(): string {
  const rows = ENDPOINTS.map(
    ({ method, path, scopes, rateClass, summary }) =>
      `| \`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\` | ${scopes.join(' or ')} | ${rateClass} | ${summary} |`,
  );
  return ['| endpoint | scope | rate class | |', '|---|---|---|---|', ...rows].join('\n');
}
