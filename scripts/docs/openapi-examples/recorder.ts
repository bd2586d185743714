import { ENDPOINTS } from '../../../src/api/index.ts';
import type { InProcessSandbox } from '../../../src/index.ts';
import type { ExampleCall } from '../../../src/openapi/examples.ts';

type Values = Record<string, string | number>;

interface CallInput {
  /** Path and query parameters by name. */
  parameters?: Values;
  body?: object;
  headers?: Record<string, string>;
}

/** Calls a sandbox and records requests and responses by endpoint. */
export class Recorder {
  readonly calls: Record<string, ExampleCall[]> = {};
  readonly #at: InProcessSandbox;

  constructor(at: InProcessSandbox) {
    this.#at = at;
  }

  /** Calls an endpoint by its name. @throws Error if it is rejected */
  readonly call = async <T>(name: string, title: string, input: CallInput = {}): Promise<T> => {
    const endpoint = ENDPOINTS.find((each) => each.name === name);
    if (!endpoint) throw new Error(`endpoint ${name} not found`);
    const { method, path } = endpoint;
    const { parameters, body } = input;
    const sent = await this.#at.call({ method, target: targetOf(path, parameters), ...input });
    const response: unknown = await sent.json();
    if (!sent.ok) throw new Error(`${name} (${title}): ${JSON.stringify(response)}`);
    this.calls[name] ??= [];
    this.calls[name].push({
      title,
      ...(parameters && { parameters }),
      ...(body && { body }),
      response,
    });
    return response as T;
  };
}

/** Fills in path parameters; the others become the query. */
function targetOf(path: string, parameters: Values = {}): string {
  const query = new URLSearchParams();
  let target = path;
  for (const [name, value] of Object.entries(parameters)) {
    const filled = target.replace(`:${name}`, encodeURIComponent(value));
    if (filled === target) query.set(name, String(value));
    target = filled;
  }
  return query.size === 0 ? target : `${target}?${query.toString().replaceAll('+', '%20')}`;
}
