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
/** What an action does to the world, for the annotations of its tool. */
type ActionEffect = 'reads' | 'changes' | 'destroys';

/** An action of a tool. The endpoint that it calls checks the values of its input. */
export interface Action {
  inputs: FieldsByName;
  effect: ActionEffect;
  run(args: Args, control: ControlClient): Promise<object>;
  /** Name of the list that is shortened if the result is too long. */
  listField?: string | undefined;
  /** Whether the endpoint pages that list; otherwise `call-tool.ts` does. */
  isPaged?: boolean;
  /** Whether all text comes from sandlot, so that none is shortened. */
  isTrustedText?: true;
  /** Suggests the next steps, at most three lines. */
  next(data: object): readonly string[];
}

interface ActionOptions<Data> extends Pick<Action, 'listField' | 'isTrustedText'> {
  next?(data: Data): readonly string[];
}

/** Declares an action that is more than a call of an endpoint. Its effect is `reads`. */
export function action<Data extends object>(
  inputs: FieldsByName,
  run: (args: Args, control: ControlClient) => Promise<Data>,
  { next = () => [], ...options }: ActionOptions<Data> = {},
): Action {
  const cursor: FieldsByName = options.listField ? { cursor: { type: 'string' } } : {};
  // `next` gets what `run` returns.
  const nextOf = (data: object) => next(data as Data);
  return { inputs: { ...inputs, ...cursor }, run, effect: 'reads', ...options, next: nextOf };
}

interface RouteOptions<R> extends ActionOptions<ResponseOf<R> & object> {
  /** Fields of the endpoint that the action takes; by default all, `[]` for none. */
  only?: readonly string[];
  /** By default, GET reads and another method changes. */
  effect?: ActionEffect;
}

/** Declares actions that call an endpoint of another tool of sandlot; none if that tool was removed. */
export function ifServed<Part>(
  route: string,
  declare: () => Record<string, Part>,
): Record<string, Part> {
  const endpoint: EndpointFacts | undefined = endpointOf(route as Route);
  return endpoint ? declare() : {};
}

/** Returns all input fields of an endpoint. Throws if no such endpoint is served. */
export function inputsOf(route: string): FieldsByName {
  const { path, query, body } = endpointOf(route as Route);
  return { ...path, ...query, ...body };
}

/** Declares an action that calls an endpoint, from which its inputs follow. Throws if no such endpoint is served. */
export function calls<R extends string>(
  route: R,
  { only, effect, ...options }: RouteOptions<R> = {},
): Action {
  const { path, items } = endpointOf(route as Route);
  const isIncluded = ([name]: [string, unknown]) => only?.includes(name) ?? true;
  const inputs = Object.fromEntries(Object.entries(inputsOf(route)).filter(isIncluded));
  const run = async (args: Args, control: ControlClient) => {
    const notInPath = Object.entries(args).filter(([name]) => !Object.hasOwn(path, name));
    const values = Object.fromEntries(notInPath);
    return callRoute(control, route as Route, args, values) as Promise<ResponseOf<R> & object>;
  };
  return {
    ...action(inputs, run, { listField: items, ...options }),
    effect: effect ?? (route.startsWith('GET ') ? 'reads' : 'changes'),
    isPaged: items !== undefined,
  };
}

/** Formats a call of a tool as a next step. */
export function callOf(tool: string, name: string, args: Args = {}): string {
  return `${tool} ${JSON.stringify({ action: name, ...args })}`;
}
