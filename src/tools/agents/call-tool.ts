import type { CallToolResult } from '@modelcontextprotocol/server';
import { ControlApiError, type ControlClient } from '../../client/control-client.ts';
import { UnreachableError } from '../../client/unreachable.ts';
import { CodedError, conflict, UsageError, validationError } from '../../kernel/errors.ts';
import { isValidName } from '../../world/files.ts';
import { type Action, type Args, callOf } from './action.ts';
import { AGENT_TOOLS, type AgentTool } from './tools.ts';

/** The sandbox of an agent. */
export interface Connection {
  /** World of calls without `world`; created on first use. */
  world: string;
  control(): Promise<ControlClient>;
}

/** Calls a tool. Rejections, and wrong arguments or settings, become error results; other errors are thrown. */
export async function callTool(
  name: string,
  tool: AgentTool,
  given: Args,
  connection: Connection,
): Promise<CallToolResult> {
  // A client may send null for an argument that it omits. A query would have it as a text.
  const sent = Object.entries(given).filter(([, value]) => value !== null);
  const { action: requestedAction, world: worldName, ...args }: Args = Object.fromEntries(sent);
  const world = worldName === undefined ? connection.world : String(worldName);
  try {
    const [actionName, action] = requireAction(tool, requestedAction);
    checkNames(actionName, action, args);
    // The result has this name, also if the action asks the sandbox nothing.
    if (!isValidName(world)) throw validationError(`world: "${world}" is not a name of a world`);
    const client = await connection.control();
    if (worldName === undefined) await requireOwnWorld(client, world);
    const data = await run(action, client.in(world), args);
    const next = action.next(data).map((call) => inWorld(call, worldName));
    const structuredContent = { world, data, next };
    const text = JSON.stringify(structuredContent);
    return { structuredContent, content: [{ type: 'text', text }] };
  } catch (error) {
    const { code, message } = rejectionOf(error);
    const next = suggestAfter({ code, message }, name, worldName);
    // Each text may contain an argument, of which JSON escapes a byte as up to six.
    const text = JSON.stringify(cutTexts({ error: { code, message }, world, next }, 2 * 1024));
    return { isError: true, content: [{ type: 'text', text }] };
  }
}

/** Returns the named action; a tool with only one action needs no name. @throws validation_error */
function requireAction({ actions }: AgentTool, requestedAction: unknown) {
  const entries = Object.entries(actions);
  const isOnly = requestedAction === undefined && entries.length === 1;
  const match = entries.find(([name]) => isOnly || name === requestedAction);
  if (match) return match;
  throw validationError(`action: must be one of ${Object.keys(actions).join(', ')}`);
}

/** Checks the names of arguments; the endpoint checks their values. @throws validation_error */
function checkNames(name: string, { inputs }: Action, args: Args): void {
  const names = Object.keys(inputs);
  const unknown = Object.keys(args).find((arg) => !Object.hasOwn(inputs, arg));
  if (unknown !== undefined) {
    throw validationError(`${unknown}: not for ${name}; use ${[...names, 'world'].join(', ')}`);
  }
  const missing = names.find((input) => inputs[input]?.required && args[input] === undefined);
  if (missing !== undefined) throw validationError(`${missing}: is required`);
}

/** Creates the world of this agent if it does not exist. */
async function requireOwnWorld(control: ControlClient, name: string): Promise<void> {
  const unless = (code: string) => (error: unknown) => {
    if (rejectionOf(error).code !== code) throw error;
  };
  const world = await control.get(`/worlds/${encodeURIComponent(name)}`).catch(unless('not_found'));
  // Another call may have created it meanwhile.
  if (!world) await control.post('/worlds', { name }).catch(unless('conflict'));
}

/** Runs an action, and shortens its result to whole rows. A list that its endpoint does not page is paged here. */
async function run(action: Action, control: ControlClient, args: Args): Promise<object> {
  const { listField, isPaged } = action;
  if (listField === undefined || isPaged) {
    const { data, count } = shorten(await action.run(args, control), action);
    // A list is read again: with this limit, the response has the cursor after these rows.
    return count === undefined ? data : run(action, control, { ...args, limit: count });
  }
  const { cursor, ...input } = args;
  const start = offsetOf(cursor);
  const result = (await action.run(input, control)) as Record<string, unknown[]>;
  const rows = (result[listField] ?? []).slice(start);
  const { data, count } = shorten({ ...result, [listField]: rows }, action);
  return { ...data, next_cursor: count === undefined ? null : String(start + count) };
}

function offsetOf(cursor: unknown): number {
  if (cursor === undefined) return 0;
  if (typeof cursor === 'string' && /^\d{1,9}$/.test(cursor)) return Number(cursor);
  throw validationError('cursor: invalid; pass next_cursor from the previous page unchanged');
}

type Rejection = Record<'code' | 'message', string>;

function rejectionOf(error: unknown): Rejection {
  if (error instanceof ControlApiError || error instanceof CodedError) return error;
  if (error instanceof UsageError) return { code: 'usage', message: error.message };
  if (error instanceof UnreachableError) return { code: 'unreachable', message: error.message };
  throw error;
}

/** Suggests calls after an error: they list the worlds if it is about the world, or else the objects of the tool. */
function suggestAfter({ code, message }: Rejection, name: string, world: unknown) {
  if (code === 'unreachable') return ['sandlot start'];
  if (message.startsWith('world:')) {
    const canCreate = code === 'not_found' && typeof world === 'string' && isValidName(world);
    const create = canCreate ? [callOf('worlds', 'create', { name: world })] : [];
    return [callOf('worlds', 'list'), ...create];
  }
  const list = AGENT_TOOLS[name]?.actions.list && callOf(name, 'list');
  return [inWorld(list ?? callOf('docs', 'search', { text: name }), world)];
}

/** Adds the world that an argument named to a suggested call that names none. */
function inWorld(call: string, world: unknown): string {
  if (world === undefined || call.includes('"world":')) return call;
  return call.replace(/\}$/, () => `,"world":${JSON.stringify(world)}}`);
}

/** A result has at most 32 KB, including the world and the next steps. */
const MAX_DATA_BYTES = 30 * 1024;
/** Limits of each text from outside, tried in order, because a single row or a result without a list may be too long. */
const MAX_TEXT_BYTES = [4 * 1024, 1024, 256];

/**
 * Shortens data to the size of a result: removes whole rows of its list, and shortens texts.
 * @returns `count`: number of rows that fit, if not all
 * @throws conflict
 */
function shorten(data: object, { listField, isTrustedText }: Action) {
  for (const maxBytes of MAX_TEXT_BYTES) {
    const cut: Record<string, unknown> = isTrustedText ? { ...data } : cutTexts(data, maxBytes);
    if (sizeOf(cut) <= MAX_DATA_BYTES) return { data: cut };
    if (listField === undefined) continue;
    const rows = cut[listField];
    if (!Array.isArray(rows)) continue;
    const count = countFittingRows(rows, sizeOf({ ...cut, [listField]: [] }));
    if (count > 0) return { data: { ...cut, [listField]: rows.slice(0, count) }, count };
  }
  throw conflict('the result is longer than 32 KB; pass a filter, or use the command line');
}

/** Returns how many rows of a too long list fit. @param otherBytes size of everything else */
function countFittingRows(rows: readonly unknown[], otherBytes: number): number {
  let total = otherBytes;
  return rows.findIndex((row) => {
    total += sizeOf(row) + 1; // and a comma
    return total > MAX_DATA_BYTES;
  });
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Shortens each text of more than `maxBytes`, with a note. */
function cutTexts(value: object, maxBytes: number): Record<string, unknown> {
  const json = JSON.stringify(value, (_, part) =>
    typeof part === 'string' ? cutText(part, maxBytes) : part,
  );
  return JSON.parse(json);
}

function cutText(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  const note = ` [cut, ${bytes.length} bytes]`;
  const start = bytes.subarray(0, maxBytes - note.length);
  return new TextDecoder().decode(start, { stream: true }) + note; // without half a character
}
