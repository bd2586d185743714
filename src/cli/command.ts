import type { Display } from '../kernel/columns.ts';
import { formatId, type IdPrefix } from '../kernel/ids.ts';
import type { CommandContext } from './context.ts';
import {
  argumentsOf,
  callRoute,
  endpointOf,
  optionsOf,
  type PathArgs,
  type ResponseOf,
  type Route,
} from './endpoints.ts';
import { CommandFailedError } from './errors.ts';
import type { TypedArgument, TypedOption } from './options.ts';
import type { Formatter } from './output.ts';

export type Arguments = Record<string, TypedArgument<unknown>>;
export type Options = Record<string, TypedOption<unknown>>;

/** The arguments, or the options, of a command that declares none. */
export type None = Record<never, never>;

/** The types of the values of arguments or options, by their names. */
export type ValuesOf<Declared> = {
  [Key in keyof Declared]: Declared[Key] extends { readonly valueType: infer T } ? T : never;
};

export interface CommandCall<Args extends Arguments = Arguments, Opts extends Options = Options>
  extends CommandContext {
  args: ValuesOf<Args>;
  options: ValuesOf<Opts>;
  allCommands(): Promise<readonly CommandModule[]>;
}

/** The help texts of a command, its arguments and options, and what it does to a sandbox. */
interface Declaration<Args extends Arguments, Opts extends Options> {
  /** An imperative sentence. */
  summary: string;
  args?: Args;
  /** An option declared here replaces a common option of the same name. */
  options?: Opts;
  /** Command lines; by default, the command alone. Tests run most in a sandbox that `test/cli/fixtures.ts` prepares. */
  examples?: readonly string[];
  /** Paragraphs of the help, after the summary. */
  details?: string;
  /** Whether it changes no state, so that it need not print which sandbox it calls; by default true for a GET route. */
  readOnly?: boolean;
  /** Whether it stops the sandbox or discards a world's state or log, so that the sandbox of another folder must be named. */
  discardsState?(options: Readonly<Record<string, unknown>>): boolean;
  /** Leaves the options after the first argument to that argument: `exec npm test --watch`. */
  passThrough?: boolean;
  /** Whether it starts its sandbox, so that --url and --world would name nothing. */
  startsSandbox?: boolean;
}

interface RunDeclaration<Args extends Arguments, Opts extends Options>
  extends Declaration<Args, Opts> {
  run(call: CommandCall<Args, Opts>): Promise<void>;
}

/**
 * A command. What `run` throws becomes the exit code: CommandFailedError 1, ControlApiError and CodedError 1 or 2
 * (`validation_error`), UsageError 2, UnreachableError 3, ExitWith and CannotRunError their own. Import large modules in `run`.
 */
export interface Command extends RunDeclaration<Arguments, Options> {
  /** The words that call it: `orders advance`. */
  path: string;
  examples: readonly string[];
}

/** The commands of one file. */
export interface CommandModule {
  /** Heading in the help. */
  group: string;
  /** Summaries of nouns that are not commands themselves. */
  nouns?: Readonly<Record<string, string>>;
  commands: readonly Command[];
}

export function command<Args extends Arguments = None, Opts extends Options = None>(
  path: string,
  declaration: RunDeclaration<Args, Opts>,
): Command {
  // The program passes the values of these arguments and options, so the types of `run` are sound.
  return { path, examples: [`sandlot ${path}`], ...declaration } as unknown as Command;
}

interface CallDeclaration<R extends Route, Args extends Arguments, Opts extends Options>
  extends Omit<Declaration<Args, Opts>, 'summary'> {
  /** By default, the summary of the endpoint. */
  summary?: string;
  /** Fields of the endpoint that become options, except keys of `args` and `options`; by default all. */
  optionFields?: readonly string[];
  /** Returns the fields of the query and body. By default, they are the options and the arguments outside the path. */
  input?(call: EndpointCall<R, Args, Opts>): object;
}

/** A call of a command whose arguments are the parameters of an endpoint, and whose options are its input fields. */
type EndpointCall<
  R extends Route,
  Args extends Arguments = None,
  Opts extends Options = None,
> = CommandContext & {
  args: ValuesOf<Args> & Omit<PathArgs<R>, keyof Args>;
  options: ValuesOf<Opts> & Record<string, unknown>;
};

/** Declares a command that calls an endpoint. What is not declared follows from the endpoint. */
function endpointCommand<R extends Route, Args extends Arguments, Opts extends Options>(
  path: string,
  route: R,
  declaration: CallDeclaration<R, Args, Opts>,
  run: (call: EndpointCall<R, Args, Opts>) => Promise<void>,
): Command {
  const { optionFields, args, options, ...texts } = declaration;
  return command<Arguments, Options>(path, {
    readOnly: route.startsWith('GET '),
    summary: endpointOf(route).summary,
    ...texts,
    args: { ...argumentsOf(route), ...args },
    options: {
      ...optionsOf(route, { only: optionFields, excluded: { ...args, ...options } }),
      ...options,
    },
    run: (call) => run(call as unknown as EndpointCall<R, Args, Opts>),
  });
}

/** Loads the display of the resource, while the sandbox handles the request. */
type LoadDisplay<Item> = () => Promise<Display<Item>>;

interface ActionDeclaration<R extends Route, Args extends Arguments, Opts extends Options>
  extends CallDeclaration<R, Args, Opts> {
  /** The resource of the response, whose fields are printed. */
  resource?: LoadDisplay<ResponseOf<R>>;
  /** Returns what is printed, after the fields of the resource. */
  format?(
    result: ResponseOf<R>,
    formatter: Formatter,
    call: EndpointCall<R, Args, Opts>,
  ): string | string[];
  /** Returns the suggested next step, for stderr. */
  next?(result: ResponseOf<R>, call: CommandContext): string;
  /** Returns why the command exits 1; undefined if it succeeds. */
  problem?(result: ResponseOf<R>, call: EndpointCall<R, Args, Opts>): string | undefined;
}

/** Declares a command that calls the control API and prints the response. */
export function action<R extends Route, Args extends Arguments = None, Opts extends Options = None>(
  path: string,
  route: R,
  { resource, format, next, problem, ...declaration }: ActionDeclaration<R, Args, Opts>,
): Command {
  return endpointCommand(path, route, declaration, async (call) => {
    const [result, display] = await Promise.all([
      request(route, call, declaration.input?.(call)),
      call.out.json ? undefined : resource?.(),
    ]);
    call.out.result(result, (response, formatter) => [
      ...(display ? formatter.details(display.details(), response) : []),
      ...[format?.(response, formatter, call) ?? []].flat(),
    ]);
    if (next) call.out.note(next(result, call));
    const failure = problem?.(result, call);
    if (failure !== undefined) throw new CommandFailedError(failure);
  });
}

/** The type of the items of the list in a page. */
type ItemOf<R> = Extract<ResponseOf<R>[keyof ResponseOf<R>], readonly unknown[]>[number];

interface ListDeclaration<R extends Route, Args extends Arguments, Opts extends Options>
  extends CallDeclaration<R, Args, Opts> {
  resource: LoadDisplay<ItemOf<R>>;
  /** Printed for an empty list; by default, `no` and its name in the response: `no orders`. */
  empty?: string;
}

/** Declares a command that lists a page of items in a table. */
export function list<R extends Route, Args extends Arguments = None, Opts extends Options = None>(
  path: string,
  route: R,
  { resource, empty, ...declaration }: ListDeclaration<R, Args, Opts>,
): Command {
  const { items: listName = '' } = endpointOf(route);
  return endpointCommand(path, route, declaration, async (call) => {
    const [page, display] = await Promise.all([
      request(route, call, declaration.input?.(call)) as Promise<Page>,
      call.out.json ? undefined : resource(),
    ]);
    const rows = page[listName] as ItemOf<R>[];
    call.out.result(page, (_, { colors, table }) =>
      rows.length === 0
        ? colors.dim(empty ?? `no ${listName.replaceAll('_', ' ')}`)
        : table(display?.columns() ?? [], rows),
    );
    const { next_cursor } = page;
    if (next_cursor !== null && !call.out.json) call.out.note(`next page: --cursor ${next_cursor}`);
  });
}

type Page = { next_cursor: string | null } & Record<string, unknown>;

/** Calls an endpoint. @param input see `CallDeclaration` */
function request<R extends Route>(
  route: R,
  { control, args, options }: CommandContext & { args: object; options: object },
  input?: object,
): Promise<ResponseOf<R>> {
  const { path } = endpointOf(route);
  const isInPath = ([name]: [string, unknown]) => Object.hasOwn(path, name);
  const otherArgs = Object.entries(args).filter((entry) => !isInPath(entry));
  const fields = input ?? { ...Object.fromEntries(otherArgs), ...options };
  return callRoute(control(), route, args, fields);
}

/** The n-th id of a fresh sandbox with the default seed, for examples. */
export function exampleId(prefix: IdPrefix, n = 1): string {
  return formatId(prefix, 'sandlot', n);
}
