import type { CallToolResult } from '@modelcontextprotocol/server';
import { listCommandOf } from '../../cli/listed.ts';
import { ControlApiError, type ControlClient } from '../../client/control-client.ts';
import { UnreachableError } from '../../client/unreachable.ts';
import { CodedError, validationError } from '../../kernel/errors.ts';
import { type Action, type Args, use } from './action.ts';
import { shorten } from './shorten.ts';
import { AGENT_TOOLS, type AgentTool } from './tools.ts';

/** The sandbox of an agent. */
export interface Connection {
  /** World of a call that names none; it is created on first use. */
  world: string;
  control(): Promise<ControlClient>;
}

const MAX_NEXT = 3;

/** Calls a tool. What the sandbox rejects is a result that says so. */
export async function callTool(
  name: string,
  tool: AgentTool,
  { action: named, world: given, ...args }: Args,
  connection: Connection,
): Promise<CallToolResult> {
  const world = given === undefined ? connection.world : String(given);
  try {
    const [actionName, action] = requireAction(tool, named);
    checkNames(actionName, action, args);
    const client = await connection.control();
    if (given === undefined) await requireOwnWorld(client, world);
    const data = await run(action, client.in(world), args);
    const next = action.next(data).slice(0, MAX_NEXT);
    const structuredContent = { world, data, next };
    return { structuredContent, content: [textOf(structuredContent)] };
  } catch (error) {
    const { code, message } = rejectionOf(error);
    const next = code === 'unreachable' ? ['sandlot start'] : helpWith(name, world, message);
    return { isError: true, content: [textOf({ error: { code, message }, world, next })] };
  }
}

function textOf(value: object): { type: 'text'; text: string } {
  return { type: 'text', text: JSON.stringify(value) };
}

/** The action of a tool that has only one need not be named. */
function requireAction({ actions }: AgentTool, named: unknown): [name: string, action: Action] {
  const all = Object.entries(actions);
  const isOnly = named === undefined && all.length === 1;
  const found = all.find(([name]) => isOnly || name === named);
  if (found) return found;
  throw validationError(`action: must be one of ${Object.keys(actions).join(', ')}`);
}

/** Checks the names of arguments; the endpoint checks their values. @throws validation_error */
function checkNames(name: string, { inputs }: Action, args: Args): void {
  const known = Object.keys(inputs);
  const unknown = Object.keys(args).find((each) => !Object.hasOwn(inputs, each));
  if (unknown !== undefined) {
    throw validationError(`${unknown}: not for ${name}; use ${[...known, 'world'].join(', ')}`);
  }
  const missing = known.find((each) => inputs[each]?.required && args[each] === undefined);
  if (missing !== undefined) throw validationError(`${missing}: is required`);
}

/** Creates the world of this agent if it does not exist. */
async function requireOwnWorld(control: ControlClient, name: string): Promise<void> {
  try {
    await control.get(`/worlds/${encodeURIComponent(name)}`);
  } catch (error) {
    if (!(error instanceof ControlApiError) || error.code !== 'not_found') throw error;
    await control.post('/worlds', { name }).catch((problem: unknown) => {
      // Another call has created it meanwhile.
      if (!(problem instanceof ControlApiError) || problem.code !== 'conflict') throw problem;
    });
  }
}

/** Runs an action, and cuts its result at whole rows. */
async function run(action: Action, control: ControlClient, args: Args): Promise<object> {
  const { rows, isPaged, isOwnText } = action;
  const load = (given: Args) => action.run(given, control);
  if (rows === undefined || isPaged) {
    const whole = await load(args);
    const { data, kept } = shorten(whole, rows, !isOwnText);
    // The sandbox makes the cursor that follows these rows.
    return kept === undefined ? data : run(action, control, { ...args, limit: kept });
  }
  const { cursor, ...others } = args;
  const start = offsetOf(cursor);
  const whole = (await load(others)) as Record<string, unknown[]>;
  const list = whole[rows] ?? [];
  const { data, kept } = shorten({ ...whole, [rows]: list.slice(start) }, rows, !isOwnText);
  return { ...data, next_cursor: kept === undefined ? null : String(start + kept) };
}

function offsetOf(cursor: unknown): number {
  if (cursor === undefined) return 0;
  if (typeof cursor === 'string' && /^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw validationError('cursor: invalid; pass next_cursor from the previous page unchanged');
}

function rejectionOf(error: unknown): { code: string; message: string } {
  if (error instanceof ControlApiError || error instanceof CodedError) return error;
  if (error instanceof UnreachableError) return { code: 'unreachable', message: error.message };
  throw error;
}

/** Returns what to call after an error: what lists the objects that it names, or those of the tool. */
function helpWith(name: string, world: string, message: string): string[] {
  const [field = ''] = message.split(':', 1);
  if (field === 'world') return [use('worlds', 'list'), use('worlds', 'create', { name: world })];
  const [tool = '', list = 'list'] = listCommandOf(field)?.split(' ') ?? [];
  const found = [tool, name].find((each) => AGENT_TOOLS[each]?.actions[list]);
  return found === undefined ? [use('docs', 'search', { text: name })] : [use(found, list)];
}
