import http from 'node:http';
import { expect, test } from 'vitest';
import { ControlClient } from '../../src/client/control-client.ts';
import {
  type Key,
  type SignedRequest,
  sendSigned,
  signPartnerRequest,
} from '../../src/client/partner-client.ts';
import { emptyDirectory, startProcess } from '../support/sandlot-process.ts';

const KEY = { key_id: 'dmk_sandbox_local', secret: 'dms_sandbox_local_not_a_secret' };
const WANTED = 60;
const KILLED_AFTER = 12;

interface Acknowledged {
  sent: SignedRequest;
  body: string;
}

test('what was acknowledged before a kill -9 is there after the restart, and its nonces stay used', async () => {
  const cwd = emptyDirectory();
  const first = await startProcess(cwd, '--no-rate-limits', '--inventory', '400');
  const signed = (method: string, target: string, body?: object, headers = {}) =>
    signPartnerRequest(first.url, KEY, { method, target, body, headers }, Date.now());

  const deaf = await deafReceiver();
  const registration = { url: deaf.url, secret: 'whsec_kill' };
  await sendSigned(fetch, signed('PUT', '/api/partner/webhooks', registration));
  const domains = await listed(first.url);

  const acknowledged: Acknowledged[] = [];
  const killed = Promise.withResolvers<unknown>();
  await Promise.allSettled(
    domains.slice(0, WANTED).map(async ({ domain, price_cents }) => {
      const sale = {
        domain,
        expected_price: price_cents,
        currency: 'USD',
        buyer: { email: 'a@b.co' },
      };
      const key = { 'Idempotency-Key': `key-${domain}` };
      const sent = signed('POST', '/api/partner/v1/orders', sale, key);
      const response = await sendSigned(fetch, sent);
      acknowledged.push({ sent, body: await response.text() });
      if (acknowledged.length === KILLED_AFTER) killed.resolve(await first.end('SIGKILL'));
    }),
  );
  await killed.promise;
  expect(acknowledged.length).toBeGreaterThanOrEqual(KILLED_AFTER);

  const second = await startProcess(cwd, '--no-rate-limits');
  const control = new ControlClient({ baseUrl: second.url, fetch });
  for (const { sent, body } of acknowledged) {
    const order = JSON.parse(body) as { public_id: string };
    const kept = await control.get<{ status: string; timeline: unknown[] }>(
      `/orders/${order.public_id}`,
    );
    expect(kept).toMatchObject({
      status: 'EXTERNALLY_PAID',
      timeline: [{ event: 'order.recorded' }],
    });

    const { events } = await control.get<{ events: { id: string; type: string }[] }>('/events', {
      subject_id: order.public_id,
    });
    expect(events.map((event) => event.type)).toEqual(['order.recorded']);
    const { deliveries } = await control.get<{ deliveries: { status: string }[] }>('/deliveries', {
      event_id: events[0]?.id,
    });
    expect(deliveries).toMatchObject([{ status: 'pending' }]);

    const again = { ...sent, url: sent.url.replace(first.url, second.url) };
    const replayed = await sendSigned(fetch, again);
    expect(await replayed.json()).toMatchObject({ error: { code: 'replay_detected' } });
    const fresh = await sendSigned(fetch, resigned(again, second.url));
    expect({ status: fresh.status, body: await fresh.text() }).toEqual({ status: 201, body });
  }
  deaf.close();
});

test('no id is issued twice when a kill -9 meets resets and new worlds', async () => {
  const cwd = emptyDirectory();
  const issued: string[] = [];
  for (const killedAfterMs of [2, 6, 12, 25]) {
    const server = await startProcess(cwd, '--no-rate-limits', '--inventory', '50');
    const control = new ControlClient({ baseUrl: server.url, fetch });
    const sell = async (key: Key) => {
      const sale = { domain: 'held-order.test', expected_price: 250_000, currency: 'USD' };
      const call = {
        method: 'POST',
        target: '/api/partner/v1/orders',
        body: { ...sale, buyer: { email: 'a@b.co' } },
        headers: { 'Idempotency-Key': crypto.randomUUID() },
      };
      const sent = signPartnerRequest(server.url, key, call, Date.now());
      const response = await sendSigned(fetch, sent);
      expect(response.status).toBe(201);
      issued.push(((await response.json()) as { public_id: string }).public_id);
    };
    const inOthers = async () => {
      const key = await control.in('w1').post<Key>('/credentials', {});
      await sell(key);
      await control.delete('/worlds/w1');
    };
    await control.delete('/worlds/w1').catch(() => {});
    await sell(KEY);
    await control.post('/worlds', { name: 'w1' });
    await inOthers();
    const cutShort = (async () => {
      for (;;) {
        await control.post('/reset');
        await sell(KEY);
        await control.post('/worlds', { name: 'w1' });
        await inOthers();
      }
    })();
    await Promise.allSettled([
      cutShort,
      new Promise((resolve) => setTimeout(resolve, killedAfterMs)).then(() =>
        server.end('SIGKILL'),
      ),
    ]);
  }
  expect(issued.length).toBeGreaterThanOrEqual(8);
  expect(new Set(issued).size).toBe(issued.length);
});

/** The same write with a fresh nonce, as a client retries. */
function resigned(sent: SignedRequest, baseUrl: string): SignedRequest {
  const headers = { 'Idempotency-Key': sent.headers['Idempotency-Key'] ?? '' };
  const target = '/api/partner/v1/orders';
  return signPartnerRequest(
    baseUrl,
    KEY,
    { method: 'POST', target, body: sent.body, headers },
    Date.now(),
  );
}

async function listed(url: string): Promise<{ domain: string; price_cents: number }[]> {
  const found = new Map<string, { domain: string; price_cents: number }>();
  for (const letter of 'abcdefghijklmnopqrstuvwxyz') {
    const target = `/api/partner/v1/domains/search?q=${letter}`;
    const answer = await sendSigned(
      fetch,
      signPartnerRequest(url, KEY, { method: 'GET', target }, Date.now()),
    );
    const { domains } = (await answer.json()) as {
      domains: { domain: string; price_cents: number; category: string }[];
    };
    for (const each of domains) if (each.category !== 'Magic') found.set(each.domain, each);
  }
  return [...found.values()];
}

/** Takes requests and never answers, so that every delivery stays under way. */
async function deafReceiver(): Promise<{ url: string; close(): void }> {
  const server = http.createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
