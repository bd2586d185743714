import fs from 'node:fs';
import path from 'node:path';
import { usageOf } from '../../src/cli/help-document.ts';
import { COMMAND_GROUPS } from './command-groups.ts';

const DOCS = path.join(import.meta.dirname, '../../docs');

const HEAD = `# sandlot

> A local sandbox for a partner-facing domain-marketplace API: signed requests, orders, checkout, settlements and webhooks,
> controlled from the command line, a dashboard or HTTP.

Start one with \`npx sandlot start --detach\`; the base URL is http://127.0.0.1:4010, the key ID \`dmk_sandbox_local\`, the
secret \`dms_sandbox_local_not_a_secret\`. \`npx sandlot skill\` prints a guide for coding agents, \`npx sandlot --help --json\` all
commands as data, and \`npx sandlot mcp\` serves the sandbox as tools (MCP). A running sandbox serves its OpenAPI documents at
\`/_sandbox/openapi.json\` and \`/_sandbox/openapi.json?api=control\`.
`;

/** Generates llms.txt: every page of the documentation with its first sentence, and every command. */
export function llmsText(): string {
  const pages = fs
    .readdirSync(DOCS)
    .filter((name) => name.endsWith('.md'))
    .sort()
    .flatMap((name) => {
      const [title = '', ...text] = fs.readFileSync(path.join(DOCS, name), 'utf8').split('\n\n');
      // A page that has moved.
      if (!title.startsWith('# ')) return [];
      return `- [${title.replace(/^# /, '')}](docs/${name})${firstSentence(text)}`;
    });
  const commands = [...COMMAND_GROUPS].map(
    ([group, each]) =>
      `### ${group}\n\n${each.map((command) => `- \`${usageOf(command)}\`: ${command.summary}`).join('\n')}\n`,
  );
  return `${HEAD}\n## Documentation\n\n${pages.join('\n')}\n\n## Commands\n\n${commands.join('\n')}`;
}

/** The first sentence of the first paragraph of prose, without links. */
function firstSentence(paragraphs: string[]): string {
  const prose = paragraphs.find((each) => /^(?!```)[A-Za-z`]/.test(each));
  const text = prose?.replaceAll(/\s+/g, ' ').replaceAll(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  const sentence = text === undefined ? undefined : /^.*?[.:](?= |$)/.exec(text)?.[0];
  return sentence === undefined ? '' : `: ${sentence.replace(/:$/, '.')}`;
}
