import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { onTestFinished } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';

/** A result of a tool, as an agent reads it. */
export interface Answer {
  world: string;
  // biome-ignore lint/suspicious/noExplicitAny: the test says which fields it expects.
  data: any;
  next: string[];
}

/** What a tool answers if the sandbox rejects the call. */
export interface Refusal {
  error: { code: string; message: string };
  world: string;
  next: string[];
}

/** The official client of the protocol, connected until the test ends. */
export class Agent {
  readonly client = new Client({ name: 'test', version: '1' });

  async connect(transport: Parameters<Client['connect']>[0]): Promise<this> {
    await this.client.connect(transport);
    onTestFinished(() => this.client.close());
    // The client checks results with the schemas that it has listed.
    await this.client.listTools();
    return this;
  }

  /** Calls a tool, which must succeed. */
  async call(name: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const result = await this.client.callTool({ name, arguments: args });
    const [content] = result.content;
    const text = content?.type === 'text' ? content.text : '';
    if (result.isError || !result.structuredContent) throw new Error(text);
    const answer = result.structuredContent as unknown as Answer;
    if (JSON.stringify(answer) !== text) throw new Error(`${name}: the text differs from the data`);
    return answer;
  }

  /** Calls a tool, which must fail. */
  async rejected(name: string, args: Record<string, unknown> = {}): Promise<Refusal> {
    const result = await this.client.callTool({ name, arguments: args });
    const [content] = result.content;
    if (!result.isError || content?.type !== 'text') throw new Error(`${name}: not rejected`);
    return JSON.parse(content.text);
  }
}

/** Connects over HTTP, without a socket. */
export function agentOf(
  sandbox: Pick<InProcessSandbox, 'url' | 'fetch'>,
  query = '',
): Promise<Agent> {
  const url = new URL(`${sandbox.url}/_sandbox/mcp${query}`);
  const transport = new StreamableHTTPClientTransport(url, { fetch: sandbox.fetch });
  return new Agent().connect(transport);
}
