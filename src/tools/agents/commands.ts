import { type CommandModule, command } from '../../cli/command.ts';
import { argument, flag } from '../../cli/options.ts';
import { oneOf } from '../../cli/parsers/values.ts';

/** The configuration file of each client in a project folder, and its field with the servers. */
export const CLIENTS = {
  claude: { file: '.mcp.json', serversField: 'mcpServers' },
  codex: { file: '.codex/config.toml', serversField: 'mcp_servers' },
  cursor: { file: '.cursor/mcp.json', serversField: 'mcpServers' },
  vscode: { file: '.vscode/mcp.json', serversField: 'servers' },
};
export type ClientName = keyof typeof CLIENTS;
const NAMES = Object.keys(CLIENTS) as ClientName[];

export const mcp: CommandModule = {
  group: 'Coding agents',
  commands: [
    command('mcp', {
      summary: 'Serve the sandbox as tools of a coding agent, over stdin and stdout.',
      details:
        'Speaks the Model Context Protocol. Uses the running sandbox, or starts one in memory with the first call. --world is the world of calls that name none, and is created with the first of them. A running sandbox serves the same tools at /_sandbox/mcp.',
      examples: ['sandlot mcp', 'sandlot mcp --world mcp-checkout'],
      run: async (call) => (await import('./stdio.ts')).serveOverStdio(call),
    }),
    command('mcp add', {
      summary: 'Add the tools to a coding agent, for this project.',
      details:
        'Writes the configuration file of the agent in the folder of the git worktree: .mcp.json, .codex/config.toml, .cursor/mcp.json or .vscode/mcp.json. The entry has a world of its own, named by --world or after that folder, so that agents in two worktrees do not disturb each other. With --url, it uses that sandbox. Another entry of that name is never changed.',
      args: { client: argument<ClientName>('<client>', NAMES.join(', '), oneOf(NAMES)) },
      options: { print: flag('--print', 'Print the configuration instead') },
      examples: ['sandlot mcp add claude', 'sandlot mcp add codex --print'],
      run: async (call) => (await import('./client-config.ts')).addToClient(call),
    }),
  ],
};
