import { ENDPOINTS } from '../../../src/api/index.ts';
import type { InProcessSandbox } from '../../../src/index.ts';
import type { ExampleCall } from '../../../src/openapi/examples.ts';
import { CONTROL_ENDPOINTS } from '../../../test/support/control-endpoints.ts';

type Values = Record<string, string | number>;

interface CallInput {
  /** Path and query parameters by name. */
  parameters?: Values;
  body?: object;
  headers?: Record<string, string>;
}

/** Calls a sandbox and records requests and responses. */
export class Recorder {
  readonly partner: Record<string, ExampleCall[]> = {};
  readonly control: Record<string, ExampleCall[]> = {};
  readonly #at: InProcessSandbox;

  constructor(at: InProcessSandbox) {
    this.#at = at;
  }

  /** Calls a partner endpoint by its name. @throws Error if it is rejected */
  readonly call = async <T>(name: string, title: string, input: CallInput = {}): Promise<T> => {
    const { method, path } = named(ENDPOINTS, name);
    const request = { method, target: targetOf(path, input.parameters), ...input };
    const response = await this.#at.call(request);
    return this.#keep(this.partner, name, title, input, response) as Promise<T>;
  };

  /** Calls a control route by its name. @throws Error if it is rejected */
  readonly callControl = async <T>(
    name: string,
    title: string,
    input: CallInput = {},
  ): Promise<T> => {
    const { method, path } = named(CONTROL_ENDPOINTS, name);
    const response = await this.#at.fetch(`/_sandbox${targetOf(path, input.parameters)}`, {
      method,
      headers: { 'Content-Type': 'application/json' },
      ...(input.body && { body: JSON.stringify(input.body) }),
    });
    return this.#keep(this.control, name, title, input, response) as Promise<T>;
  };

  /** Calls a control route that takes text. */
  async upload(name: string, type: string, parameters: Values, body: string): Promise<void> {
    const { method, path } = named(CONTROL_ENDPOINTS, name);
    const response = await this.#at.fetch(`/_sandbox${targetOf(path, parameters)}`, {
      method,
      headers: { 'Content-Type': type },
      body,
    });
    const input = { parameters, body, content_type: type };
    await this.#keep(this.control, name, type, input, response);
  }

  /** Exports a world, deletes it and imports it. The file is not part of the example. */
  async moveWorld(name: string): Promise<void> {
    const exported = await this.#at.fetch(`/_sandbox/worlds/${name}/export`);
    const body = new Uint8Array(await exported.arrayBuffer());
    await this.#at.control.delete(`/worlds/${name}`);
    const response = await this.#at.fetch('/_sandbox/worlds/import', { method: 'POST', body });
    await this.#keep(this.control, 'importWorld', 'imported', {}, response);
  }

  /** Returns the first event of a stream that is opened before `cause` runs. */
  async listen(name: string, cause: () => Promise<unknown>): Promise<void> {
    const { path } = named(CONTROL_ENDPOINTS, name);
    const abort = new AbortController();
    const response = await this.#at.fetch(`/_sandbox${path}`, { signal: abort.signal });
    await cause();
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const event = /^event: .*?\n\n/ms.exec(text)?.[0];
      if (event === undefined) continue;
      const type = 'text/event-stream';
      const { status } = response;
      keep(this.control, name, { title: type, content_type: type, status, response: event });
      break;
    }
    abort.abort();
  }

  async #keep(
    into: Record<string, ExampleCall[]>,
    name: string,
    title: string,
    { parameters, body, content_type }: Partial<ExampleCall>,
    response: Response,
  ): Promise<unknown> {
    const document: unknown = await response.json();
    if (!response.ok) throw new Error(`${name} (${title}): ${JSON.stringify(document)}`);
    keep(into, name, {
      title,
      ...(parameters && { parameters }),
      ...(body !== undefined && { body }),
      ...(content_type !== undefined && { content_type }),
      status: response.status,
      response: document,
    });
    return document;
  }
}

function keep(into: Record<string, ExampleCall[]>, name: string, call: ExampleCall): void {
  into[name] = [...(into[name] ?? []), call];
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

function named<T extends { name: string }>(all: readonly T[], name: string): T {
  const found = all.find((each) => each.name === name);
  if (found) return found;
  throw new Error(`endpoint ${name} not found`);
}
