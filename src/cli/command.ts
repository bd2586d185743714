import type { QueryValues } from '../client/control-client.ts';
import { unmetFilters } from '../control/unmet-filters.ts';
import type { Display } from '../kernel/columns.ts';
import { formatId, type IdPrefix } from '../kernel/ids.ts';
import type { CommandContext } from './context.ts';
import { count, type TypedArgument, type TypedOption, text } from './options.ts';
import type { Formatter, Output } from './output.ts';

export type Arguments = Record<string, TypedArgument<unknown>>;
export type Options = Record<string, TypedOption<unknown>>;

export type ValuesOf<Declared> = {
  [Key in keyof Declared]: Declared[Key] extends { readonly gives: infer T } ? T : never;
};

export interface CommandCall<Args extends Arguments = Arguments, Opts extends Options = Options>
  extends CommandContext {
  args: ValuesOf<Args>;
  options: ValuesOf<Opts>;
  allCommands(): Promise<readonly CommandModule[]>;
}

/** What the help says about a command, and what the command takes. */
interface Declaration<Args extends Arguments, Opts extends Options> {
  /** An imperative sentence. */
  summary: string;
  args?: Args;
  /** An option declared here takes the place of a common one of the same name. */
  options?: Opts;
  /** Command lines that can be run as they are in a fresh sandbox. */
  examples: readonly string[];
  /** Paragraphs of the help, after the summary. */
  details?: string;
  /** Changes no state, so that a typing error may suggest it. */
  readOnly?: boolean;
  /** Leaves the options after the first argument to that argument: `exec npm test --watch`. */
  passThrough?: boolean;
}

interface RunDeclaration<Args extends Arguments, Opts extends Options>
  extends Declaration<Args, Opts> {
  run(call: CommandCall<Args, Opts>): Promise<void>;
}

/**
 * A command. What `run` throws becomes the exit code: ControlApiError and CheckFailedError 1, UsageError 2,
 * UnreachableError 3, ExitWith and CannotRunError their own. Import large modules inside `run`.
 */
export interface Command extends RunDeclaration<Arguments, Options> {
  /** The words that call it: `orders advance`. */
  path: string;
}

/** The commands of one file. */
export interface CommandModule {
  /** Heading in the help. */
  group: string;
  /** Summaries of nouns that are not commands themselves. */
  nouns?: Readonly<Record<string, string>>;
  commands: readonly Command[];
}

export function command<
  Args extends Arguments = Record<never, never>,
  Opts extends Options = Record<never, never>,
>(path: string, declared: RunDeclaration<Args, Opts>): Command {
  // The program passes the values of these very arguments and options.
  return { path, ...declared } as unknown as Command;
}

/** A control API call: `POST /orders/:id/advance`; `:id` is the argument of that name. */
type Route = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

function isRead(route: Route): boolean {
  return route.startsWith('GET ');
}

interface CallDeclaration<Args extends Arguments, Opts extends Options>
  extends Declaration<Args, Opts> {
  /** Query of GET and DELETE, body of the others; by default the options, whose keys are then the field names. */
  input?(call: CommandCall<Args, Opts>): object;
  query?(call: CommandCall<Args, Opts>): QueryValues;
}

interface ActionDeclaration<Result, Args extends Arguments, Opts extends Options>
  extends CallDeclaration<Args, Opts> {
  format(result: Result, formatter: Formatter, call: CommandCall<Args, Opts>): string | string[];
  /** What to do next, for stderr. */
  next?(result: Result, call: CommandCall<Args, Opts>): string | undefined;
}

/** Declares a command that calls the control API and prints the response. */
export function action<
  Result,
  Args extends Arguments = Record<never, never>,
  Opts extends Options = Record<never, never>,
>(path: string, route: Route, declared: ActionDeclaration<Result, Args, Opts>): Command {
  return command<Args, Opts>(path, {
    readOnly: isRead(route),
    ...declared,
    async run(call) {
      const result = await request<Result, Args, Opts>(route, declared, call);
      call.out.result(result, (shown, formatter) => declared.format(shown, formatter, call));
      const hint = declared.next?.(result, call);
      if (hint !== undefined) call.out.note(hint);
    },
  });
}

/** Loads the resource that is shown; runs while the sandbox works on the request. */
type LoadDisplay<Item> = () => Promise<Display<Item>>;

interface ShowDeclaration<Item, Args extends Arguments, Opts extends Options>
  extends CallDeclaration<Args, Opts> {
  resource: LoadDisplay<Item>;
  /** Further lines, under the fields of the item. */
  more?(item: Item, formatter: Formatter): string[];
  next?(item: Item, call: CommandCall<Args, Opts>): string | undefined;
}

/** Declares a command that calls the control API and prints the fields of the item in the response. */
export function show<
  Item,
  Args extends Arguments = Record<never, never>,
  Opts extends Options = Record<never, never>,
>(path: string, route: Route, declared: ShowDeclaration<Item, Args, Opts>): Command {
  return command<Args, Opts>(path, {
    readOnly: isRead(route),
    ...declared,
    async run(call) {
      const { resource, more, next } = declared;
      const response = request<Item, Args, Opts>(route, declared, call);
      const [item, shown] = await Promise.all([response, call.out.json ? undefined : resource()]);
      call.out.result(item, (it, formatter) => [
        ...formatter.details(shown?.details() ?? [], it),
        ...(more?.(it, formatter) ?? []),
      ]);
      const hint = next?.(item, call);
      if (hint !== undefined) call.out.note(hint);
    },
  });
}

export const PAGE_OPTIONS = {
  limit: count('--limit <count>', 'Items per page, 1 to 100 (default: 25)', 1, 100),
  cursor: text('--cursor <cursor>', 'Cursor of the next page'),
};

interface ListDeclaration<Item, Opts extends Options>
  extends Omit<Declaration<Record<never, never>, Opts>, 'args'> {
  /** Name of the list in the response; by default the last word of the route. */
  items?: string;
  /** How texts name the items; by default their name in the response. */
  many?: string;
  resource: LoadDisplay<Item>;
  /** Printed if there are none; `no orders` by default. */
  empty?: string;
}

/** Declares a command that lists a page of items in a table. Keys of the options are names of the query. */
export function list<Item, Opts extends Options = Record<never, never>>(
  path: string,
  route: Route,
  {
    items = route.slice(route.lastIndexOf('/') + 1),
    many = items,
    empty = `no ${many}`,
    ...declared
  }: ListDeclaration<Item, Opts>,
): Command {
  return command(path, {
    readOnly: true,
    ...declared,
    options: { ...declared.options, ...PAGE_OPTIONS },
    async run(call) {
      const read = (query: QueryValues) => call.control().get<Page>(pathOf(route, {}), query);
      const { limit, cursor, ...filters } = call.options as QueryValues;
      const response = read(call.options as QueryValues);
      const loading = call.out.json ? undefined : declared.resource();
      const [page, shown] = await Promise.all([response, loading]);
      call.out.result(page, (document, { colors, table }) => {
        const rows = document[items] as Item[];
        return rows.length === 0 ? colors.dim(empty) : table(shown?.columns() ?? [], rows);
      });
      printNextPage(call.out, page);
      if ((page[items] as Item[]).length > 0 || cursor !== undefined) return;
      const unmet = await unmetFilters(filters, async (query) => {
        const alone = await read({ ...query, limit: 1 });
        return (alone[items] as Item[]).length === 0;
      });
      for (const [name, given] of unmet) {
        call.out.note(`no ${many} with ${declared.options?.[name]?.long ?? name} ${given}`);
      }
      if (unmet.length === 0 && Object.values(filters).some((given) => given !== undefined)) {
        call.out.note(`no ${many} match all of these filters together`);
      }
    },
  });
}

type Page = { next_cursor: string | null } & Record<string, unknown>;

export function printNextPage(out: Output, { next_cursor }: Pick<Page, 'next_cursor'>): void {
  if (next_cursor !== null) out.note(`next page: --cursor ${next_cursor}`);
}

function request<Result, Args extends Arguments, Opts extends Options>(
  route: Route,
  { input: inputOf, query }: CallDeclaration<Args, Opts>,
  call: CommandCall<Args, Opts>,
): Promise<Result> {
  const [method] = route.split(' ', 1);
  const path = pathOf(route, call.args);
  const input: object = inputOf?.(call) ?? call.options;
  const client = call.control();
  switch (method) {
    case 'GET':
      return client.get(path, input as QueryValues);
    case 'DELETE':
      return client.delete(path, input as QueryValues);
    case 'PUT':
      return client.put(path, input);
    case 'PATCH':
      return client.patch(path, input, query?.(call));
    default:
      return client.post(path, input);
  }
}

function pathOf(route: Route, args: Record<string, unknown>): string {
  const path = route.slice(route.indexOf(' ') + 1);
  return path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(args[name])));
}

/** The n-th id of a fresh sandbox with the default seed, for examples. */
export function exampleId(prefix: IdPrefix, n = 1): string {
  return formatId(prefix, 'sandlot', n);
}
