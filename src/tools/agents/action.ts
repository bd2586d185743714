import {
  callRoute,
  type EndpointFacts,
  endpointOf,
  type FieldsByName,
  type ResponseOf,
  type Route,
} from '../../cli/endpoints.ts';
import type { ControlClient } from '../../client/control-client.ts';

export type Args = Readonly<Record<string, unknown>>;
type Effect = 'reads' | 'changes' | 'destroys';

/** An action of a tool. The endpoint that it calls checks its input. */
export interface Action {
  inputs: FieldsByName;
  effect: Effect;
  run(args: Args, control: ControlClient): Promise<object>;
  /** Name of the list that is shortened if the result is too long. */
  rows?: string | undefined;
  /** Whether the endpoint pages that list; otherwise the tool does. */
  isPaged?: boolean;
  /** Whether all text comes from sandlot, so that none is shortened. */
  isTrustedText?: true;
  /** Suggests the next steps, at most three lines. */
  next(data: object): readonly string[];
}

interface Options<Data> extends Pick<Action, 'rows' | 'isTrustedText'> {
  next?(data: Data): readonly string[];
}

/** Declares an action that is more than a call of an endpoint. */
export function action<Data extends object>(
  inputs: FieldsByName,
  run: (args: Args, control: ControlClient) => Promise<Data>,
  { next = () => [], ...options }: Options<Data> = {},
): Action {
  const cursor: FieldsByName = options.rows === undefined ? {} : { cursor: { type: 'string' } };
  // `next` gets what `run` returns.
  const nextOf = (data: object) => next(data as Data);
  return { inputs: { ...inputs, ...cursor }, run, effect: 'reads', ...options, next: nextOf };
}

interface RouteOptions<Data> extends Options<Data> {
  /** Fields of the input; by default all. */
  only?: readonly string[];
  effect?: Effect;
}

/** Declares actions that need an endpoint of another tool of sandlot; none if that tool was removed. */
export function ifServed<Part>(
  route: string,
  declare: () => Record<string, Part>,
): Record<string, Part> {
  const endpoint: EndpointFacts | undefined = endpointOf(route as Route);
  return endpoint ? declare() : {};
}

export function inputsOf(route: string): FieldsByName {
  const { path, query, body } = endpointOf(route as Route);
  return { ...path, ...query, ...body };
}

/** Declares an action that calls an endpoint; its inputs follow from the endpoint. */
export function calls<R extends string>(
  route: R,
  { only, effect, ...options }: RouteOptions<ResponseOf<R> & object> = {},
): Action {
  const { path, items } = endpointOf(route as Route);
  const [method = ''] = route.split(' ');
  const isIncluded = ([name]: [string, unknown]) => only?.includes(name) ?? true;
  const inputs = Object.fromEntries(Object.entries(inputsOf(route)).filter(isIncluded));
  const run = async (args: Args, control: ControlClient) => {
    const inputArgs = Object.entries(args).filter(([name]) => !Object.hasOwn(path, name));
    const input = Object.fromEntries(inputArgs);
    return callRoute(control, route as Route, args, input) as Promise<ResponseOf<R> & object>;
  };
  return {
    ...action(inputs, run, { rows: items, ...options }),
    effect: effect ?? (method === 'GET' ? 'reads' : method === 'POST' ? 'changes' : 'destroys'),
    isPaged: items !== undefined,
  };
}

/** Formats a call of a tool, for `next`. */
export function use(tool: string, name: string, args: Args = {}): string {
  return `${tool} ${JSON.stringify({ action: name, ...args })}`;
}
