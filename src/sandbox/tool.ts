import type { ControlEndpoint } from '../control/endpoint.ts';
import type { ToolPages } from '../dashboard/page.tsx';

/**
 * What a tool adds to a sandbox. A tool stands on the core, which works without it. Each part is loaded with the part of
 * the sandbox that needs it.
 */
export interface SandboxTool {
  name: string;
  /** Endpoints of the control API. */
  endpoints?(): Promise<readonly ControlEndpoint[]>;
  /** Pages of the dashboard, and sections of its other pages. */
  pages?(): Promise<ToolPages>;
}

/** Loads all endpoints of the control API. */
export async function controlEndpoints(tools: readonly SandboxTool[]): Promise<ControlEndpoint[]> {
  const { CONTROL_ENDPOINTS } = await import('../control/index.ts');
  const added = await Promise.all(tools.map((tool) => tool.endpoints?.() ?? []));
  return [...CONTROL_ENDPOINTS, ...added.flat()];
}

/** Loads the pages that tools add. */
export async function toolPages(tools: readonly SandboxTool[]): Promise<ToolPages[]> {
  return (await Promise.all(tools.map((tool) => tool.pages?.() ?? []))).flat();
}
