import type { ToolRoute } from '../app.ts';
import type { ControlEndpoint } from '../control/endpoint.ts';
import type { ToolPages } from '../dashboard/page.tsx';
import type { Runtime } from '../kernel/runtime.ts';
import type { RequestLog } from '../requests/request-log.ts';
import type { Worlds } from '../world/worlds.ts';

/** What a tool adds to a sandbox. Each part is loaded with the part of the sandbox that needs it. */
export interface SandboxTool {
  /** The name of its folder in `tools/`. Only tests read it. */
  name: string;
  /** Endpoints of the control API. */
  endpoints?(): Promise<readonly ControlEndpoint[]>;
  /** Routes with a protocol of their own, beside the control API. */
  routes?: readonly ToolRoute[];
  /** Pages of the dashboard, and sections of its other pages. */
  pages?(): Promise<ToolPages>;
  /** Methods of a sandbox in this process; `ToolMethods` of `tools/exports.ts` has their types. */
  methods?(sandbox: SandboxParts): Promise<object>;
}

/** The parts of a sandbox that the methods of tools use. */
interface SandboxParts {
  worlds: Worlds;
  requests: RequestLog;
  runtime: Runtime;
}

/** Returns the methods that tools add to a sandbox in this process. */
export async function toolMethods(tools: readonly SandboxTool[], sandbox: SandboxParts) {
  const methods = await Promise.all(tools.map((tool) => tool.methods?.(sandbox)));
  return Object.assign({}, ...methods) as object;
}

/** Loads all endpoints of the control API. */
export async function controlEndpoints(tools: readonly SandboxTool[]): Promise<ControlEndpoint[]> {
  const { CONTROL_ENDPOINTS } = await import('../control/index.ts');
  const ofTools = await Promise.all(tools.map((tool) => tool.endpoints?.() ?? []));
  return [...CONTROL_ENDPOINTS, ...ofTools.flat()];
}

/** Loads the pages that tools add. */
export async function toolPages(tools: readonly SandboxTool[]): Promise<ToolPages[]> {
  return (await Promise.all(tools.map((tool) => tool.pages?.() ?? []))).flat();
}
