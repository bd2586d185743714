import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createSandbox } from '../../../src/index.ts';
import { INVENTORY } from '../../support/sandbox.ts';

export type Json = Record<string, unknown>;
export type Change = (body: Json, response: http.ServerResponse) => void;

/** A sandbox on a port; its URL. */
export async function target(): Promise<string> {
  const opened = await createSandbox({ inventory: INVENTORY });
  onTestFinished(() => opened.close());
  return opened.url;
}

/** A server; `requests` has what it received. */
export async function server(
  respond: (request: http.IncomingMessage, response: http.ServerResponse, body: Buffer) => void,
): Promise<{ url: string; requests: string[]; bodies: string[]; nonces: string[] }> {
  const [requests, bodies, nonces]: [string[], string[], string[]] = [[], [], []];
  const listening = http.createServer(async (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    bodies.push(body.toString());
    nonces.push(...[request.headers['x-service-nonce'] ?? []].flat());
    respond(request, response, body);
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    listening.closeAllConnections();
    listening.close();
  });
  return {
    url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`,
    requests,
    bodies,
    nonces,
  };
}

/** Passes requests on, and changes the JSON of responses to some operations. */
export function proxy(to: string, matches = /^$/, change: Change = () => {}) {
  return server(async ({ method = '', url = '', headers }, response, body) => {
    const sent = Object.entries(headers).filter(([name]) =>
      /^(x-service|content-type|idempotency)/.test(name),
    ) as [string, string][];
    const answer = await fetch(to + url, {
      method,
      headers: sent,
      ...(method !== 'GET' && { body: new Uint8Array(body) }),
    });
    const json = (await answer.json()) as Json;
    response.statusCode = answer.status;
    for (const name of ['content-type', 'retry-after']) {
      const value = answer.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    if (matches.test(`${method} ${url}`)) change(json, response);
    if (!response.writableEnded) response.end(JSON.stringify(json));
  });
}
