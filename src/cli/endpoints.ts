import type { ControlClient, QueryValues } from '../client/control-client.ts';
import type { ResponseByRoute } from '../control/endpoint-types.ts';
import endpoints from './endpoints.json' with { type: 'json' };
import { UsageError } from './errors.ts';
import {
  argument,
  choice,
  count,
  flag,
  type TypedArgument,
  TypedOption,
  text,
  withValues,
} from './options.ts';
import { commaSeparated, listOf } from './parsers/values.ts';

/** An input field of an endpoint, as in the OpenAPI document. */
export interface InputField {
  /** Its JSON type; `string` for a union, such as a nullable text. */
  type: string;
  /** Its description. */
  text?: string;
  values?: readonly string[];
  min?: number;
  max?: number;
  default?: unknown;
  required?: boolean;
  /** Fields of an object. */
  fields?: FieldsByName;
}

export type FieldsByName = Readonly<Record<string, InputField>>;

/** An endpoint in `endpoints.json`, which `npm run docs` writes so that the command line need not load the endpoints. */
export interface EndpointFacts {
  summary: string;
  path: FieldsByName;
  /** Without `world`, which is a common option. */
  query: FieldsByName;
  body: FieldsByName;
  /** Name of the list in the response, if it is a page. */
  items?: string;
}

/** An endpoint of the control API, as in the OpenAPI document: `GET /orders/{id}`. */
export type Route = keyof typeof endpoints;

/** The body of the response; unknown for an endpoint of a tool. */
export type ResponseOf<R> = R extends keyof ResponseByRoute ? ResponseByRoute[R] : unknown;

/** The parameters of a path. */
export type PathArgs<R> = R extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & PathArgs<Rest>
  : unknown;

export function endpointOf(route: Route): EndpointFacts {
  return endpoints[route];
}

/** Returns the path of an endpoint. @param values of its parameters; others are ignored @throws UsageError */
export function pathOf(route: Route, values: object): string {
  return route.replace(/^\S+ /, '').replace(/\{(.+?)\}/g, (_, name: string) => {
    const value = String((values as Record<string, unknown>)[name]);
    // In a URL, these segments would lead to another path, even if they are encoded.
    if (/^\.{0,2}$/.test(value)) throw new UsageError(`${name}: "${value}" is invalid`);
    return encodeURIComponent(value.toWellFormed());
  });
}

/**
 * Calls an endpoint.
 * @param pathValues values of the parameters of its path; others are ignored
 * @param fields values of its query and body, together
 */
export function callRoute<R extends Route>(
  control: ControlClient,
  route: R,
  pathValues: object,
  fields: object = {},
): Promise<ResponseOf<R>> {
  const { query: queryFields } = endpointOf(route);
  const [method = ''] = route.split(' ');
  const isInQuery = ([name]: [string, unknown]) => Object.hasOwn(queryFields, name);
  const entries = Object.entries(fields);
  const query = Object.fromEntries(entries.filter(isInQuery)) as QueryValues;
  const body = Object.fromEntries(entries.filter((entry) => !isInQuery(entry)));
  const hasBody = method !== 'GET' && method !== 'DELETE';
  return control.call(method, pathOf(route, pathValues), query, hasBody ? body : undefined);
}

/** Flags and descriptions that replace the derived ones, by the name of a field in any endpoint. */
const FIELD_OVERRIDES: Readonly<Record<string, { flags?: string; description?: string }>> = {
  cursor: { description: 'Cursor of the next page' },
  deal_price_cents: { flags: '--deal-price <cents>' },
  environment: { flags: '--env <environment>' },
  event_id: { flags: '--event <id>' },
  limit: { flags: '--limit <count>' },
  partner_id: { flags: '--partner <partner>' },
  q: { flags: '--prefix <text>' },
  subject_id: { flags: '--for <id>' },
  to: { flags: '--to <state>' },
};

/** Options whose names the compiler does not know. The type has no keys, so that names declared beside it are checked. */
type UnnamedOptions = Record<never, TypedOption<unknown>>;

/**
 * Makes the options for the fields of the query and body of an endpoint. An object would become a text: exclude it.
 * @param filter.only fields that get an option, by default all; a key of `filter.excluded` gets none
 */
export function optionsOf(
  route: Route,
  { only, excluded = {} }: { only?: readonly string[] | undefined; excluded?: object } = {},
): UnnamedOptions {
  const { query, body } = endpointOf(route);
  const fields = Object.entries({ ...query, ...body }).filter(
    ([name]) => !Object.hasOwn(excluded, name) && (only?.includes(name) ?? true),
  );
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const option = optionOf(name, field);
      return [name, field.required ? option.asMandatory() : option];
    }),
  );
}

function optionOf(fieldName: string, field: InputField): TypedOption<unknown> {
  const { type, values, min = 0, max } = field;
  const name = fieldName.replaceAll('_', '-');
  const { flags = `--${name} <${name}>`, description = describe(field) } =
    FIELD_OVERRIDES[fieldName] ?? {};
  if (type === 'boolean') return flag(`--${name}`, description);
  if (type === 'array') {
    const parse = values ? listOf(values) : commaSeparated;
    return new TypedOption(flags, `${description}, comma-separated`, undefined, parse);
  }
  if (values) return choice(flags, description, values);
  return type === 'integer' ? count(flags, description, min, max) : text(flags, description);
}

/** Makes an argument for each parameter of the path of an endpoint. */
export function argumentsOf(route: Route): Record<string, TypedArgument<unknown>> {
  return Object.fromEntries(
    Object.entries(endpointOf(route).path).map(([name, field]) => [
      name,
      argument(`<${name.replaceAll('_', '-')}>`, describe(field)),
    ]),
  );
}

/** Returns the first sentence of the description of a field. */
export function sentenceOf({ text: description = '' }: InputField): string {
  return description.replace(/\.(?: .*)?$/s, '').replaceAll('`', '');
}

/** Returns the first sentence of the description of a field, with the values if they are few, and the default. */
function describe(field: InputField): string {
  const { values = [], default: defaultValue } = field;
  const sentence = sentenceOf(field);
  const isNamed = values.every((value) => sentence.includes(value));
  const summary = isNamed ? sentence : withValues(sentence, values);
  const isShown = typeof defaultValue === 'string' || typeof defaultValue === 'number';
  return isShown ? `${summary} (default: ${defaultValue})` : summary;
}
