import type { Tool } from '../../cli/tool.ts';

/** The sandbox as tools of coding agents, over the Model Context Protocol. */
export const agents: Tool = {
  name: 'agents',
  routes: [
    { path: '/mcp', load: async (control) => (await import('./server.ts')).mcpHandler(control) },
  ],
  commands: [{ words: ['mcp'], load: async () => (await import('./commands.ts')).mcp }],
};
