import { createHmac } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';

export const WEBHOOK_SECRET = 'whsec_torture';

/** A receiver that survives restarts of the sandbox. */
export interface Receiver {
  url: string;
  /** Number of arrivals of each event, by id. */
  received: Map<string, number>;
  /** Ids of events with an invalid signature. */
  forged: string[];
  close(): void;
}

/** @param delayMs how long the receiver takes to respond */
export async function startReceiver(delayMs: () => number): Promise<Receiver> {
  const received = new Map<string, number>();
  const forged: string[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { id } = JSON.parse(body.toString()) as { id: string };
      received.set(id, (received.get(id) ?? 0) + 1);
      const right = createHmac('sha256', WEBHOOK_SECRET).update(body).digest('hex');
      if (request.headers['x-service-signature'] !== right) forged.push(id);
      setTimeout(() => response.writeHead(200).end(), delayMs());
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    forged,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
