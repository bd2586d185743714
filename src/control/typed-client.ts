import type { ControlEndpoints } from './endpoint-types.ts';

/**
 * The types of `ControlClient` for users of the package: each path takes the input of its endpoint and returns its
 * response. `client/control-client.ts` has the code; a method here needs one there.
 */
export interface TypedControlClient {
  get<Path extends PathTo<'get'>>(
    path: Path,
    ...query: Optional<QueryOf<'get', Path>>
  ): Promise<ResponseOf<'get', Path>>;
  post<Path extends PathTo<'post'>>(
    path: Path,
    ...body: Optional<BodyOf<'post', Path>>
  ): Promise<ResponseOf<'post', Path>>;
  put<Path extends PathTo<'put'>>(
    path: Path,
    body: BodyOf<'put', Path>,
  ): Promise<ResponseOf<'put', Path>>;
  patch<Path extends PathTo<'patch'>>(
    path: Path,
    body: BodyOf<'patch', Path>,
    ...query: Optional<QueryOf<'patch', Path>>
  ): Promise<ResponseOf<'patch', Path>>;
  delete<Path extends PathTo<'delete'>>(
    path: Path,
    ...query: Optional<QueryOf<'delete', Path>>
  ): Promise<ResponseOf<'delete', Path>>;
  upload<Path extends PathTo<'upload'>>(
    path: Path,
    query: QueryOf<'upload', Path>,
    body: ReadableStream<Uint8Array>,
  ): Promise<ResponseOf<'upload', Path>>;
  /** Returns the body of a response that is not JSON as a stream. */
  download<Path extends PathTo<'download'>>(
    path: Path,
    ...query: Optional<QueryOf<'download', Path>>
  ): Promise<ReadableStream<Uint8Array>>;
  /** Posts JSON, and returns a response that is not JSON. */
  postForFile<Path extends PathTo<'postForFile'>>(
    path: Path,
    body: BodyOf<'postForFile', Path>,
  ): Promise<Response>;
  /** Returns a client for another world. */
  in(world: string): TypedControlClient;
}

type Group = keyof ControlEndpoints;

/** The type of the paths of a pattern such as `/orders/{id}`: any text in place of a parameter. */
type Filled<Pattern> = Pattern extends `${infer Start}{${string}}${infer End}`
  ? `${Start}${string}${Filled<End>}`
  : Pattern;

type PathTo<Name extends Group> = Filled<keyof ControlEndpoints[Name]>;

/** The endpoint of a path. Text in place of a parameter has no slash: `/orders/ord_1/story` is not `/orders/{id}`. */
type EndpointOf<Endpoints, Path> = Path extends keyof Endpoints
  ? Endpoints[Path]
  : {
      [Pattern in keyof Endpoints]: Path extends Filled<Pattern>
        ? Path extends `${Filled<Pattern> & string}/${string}`
          ? never
          : Endpoints[Pattern]
        : never;
    }[keyof Endpoints];

type Part<Name extends Group, Path, Key extends string> =
  EndpointOf<ControlEndpoints[Name], Path> extends Record<Key, infer Type> ? Type : never;

type QueryOf<Name extends Group, Path> = Part<Name, Path, 'query'>;
type BodyOf<Name extends Group, Path> = Part<Name, Path, 'body'>;
type ResponseOf<Name extends Group, Path> = Part<Name, Path, 'response'>;

/** The arguments of an input, which can be left out if no field is required. */
type Optional<Input> = [Input] extends [never]
  ? []
  : Record<never, never> extends Input
    ? [input?: Input]
    : [input: Input];
