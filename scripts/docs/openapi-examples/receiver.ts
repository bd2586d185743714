import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExampleDelivery } from '../../../src/openapi/examples.ts';

/** A webhook receiver that keeps the first delivery of each event type, as the example in the OpenAPI document. */
export interface ExampleReceiver {
  url: string;
  deliveries: Record<string, ExampleDelivery>;
  close(): void;
}

export async function openReceiver(): Promise<ExampleReceiver> {
  const receiver: ExampleReceiver = { url: '', deliveries: {}, close: () => {} };
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { type: string };
    const signature = String(request.headers['x-service-signature']);
    receiver.deliveries[body.type] ??= { body, signature };
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  receiver.close = () => {
    server.closeAllConnections();
    server.close();
  };
  return receiver;
}
