import type { QueryValues } from '../client/control-client.ts';
import type { KnownEndpoint } from './index.ts';

/** The path as the OpenAPI document writes it: `/orders/:id` → `/orders/{id}`. */
type Template<Path extends string> = Path extends `${infer Start}:${infer Name}/${infer Rest}`
  ? `${Start}{${Name}}/${Template<Rest>}`
  : Path extends `${infer Start}:${infer Name}`
    ? `${Start}{${Name}}`
    : Path;

/** The bodies of responses, by route: `GET /orders/{id}`. */
export type ResponseByRoute = {
  [Entry in KnownEndpoint as Template<NonNullable<Entry['route']>>]: NonNullable<Entry['output']>;
};

type Endpoints<Verb extends string> = {
  [Route in keyof ResponseByRoute as Route extends `${Verb} ${infer Path}` ? Path : never]: {
    query: QueryValues;
    body: object;
    response: ResponseByRoute[Route];
  };
};

/**
 * Endpoints by the method of the client that calls them, with any query and body. The package has another interface of
 * this name, with exact inputs and the endpoints of tools: the build generates it (`scripts/control-types.ts`).
 */
export interface ControlEndpoints {
  get: Endpoints<'GET'>;
  post: Endpoints<'POST'>;
  put: Endpoints<'PUT'>;
  patch: Endpoints<'PATCH'>;
  delete: Endpoints<'DELETE'>;
  upload: Endpoints<'POST'>;
  download: Endpoints<'GET'>;
  postForFile: Endpoints<'POST'>;
}
