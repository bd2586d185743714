import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ServerResponse } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import pkg from '../../package.json' with { type: 'json' };
import { manualTimers } from '../support/manual-timers.ts';
import { resolving } from '../support/name-service.ts';
import { allEvents, mint, orderFor } from '../support/orders.ts';
import {
  deadUrl,
  deliveriesOf,
  HELD,
  headerOf,
  onlyDelivery,
  RESET,
  receiver,
  register,
  rightSignature,
  typesOf,
  withAttempt,
  withReceiver,
} from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';

const RECEIVER_TIMEOUT_MS = 5_000;
/** Node's channel for a response whose head has come in. */
const RESPONSE_HEAD = 'http.client.response.finish';

/** What HTTP itself needs. */
const HTTP_ITSELF = ['connection', 'content-length', 'host'];

const SMTP = ({ socket }: ServerResponse) => void socket?.end('220 mail.example ESMTP\r\n');

describe('a delivery', () => {
  test('is a POST of exactly the bytes that are signed', async () => {
    const at = await sandbox();
    const hook = await receiver();
    await register(at, `${hook.url}?for=sandlot&x=%20`, { secret: 'whsec_!~' });
    const order = await orderFor(at);
    await at.idle();
    expect(hook.received).toHaveLength(1);
    const [got] = hook.received;
    if (!got) return;
    expect(got.method).toBe('POST');
    expect(got.path).toBe('/hook?for=sandlot&x=%20');
    expect(headerOf(got, 'X-Service-Signature')).toBe(rightSignature(got, 'whsec_!~'));
    const [event] = await allEvents(at);
    const { public_id, domain, status, sale_price_cents, currency } = order;
    expect(got.body).toBe(
      JSON.stringify({
        id: event?.id,
        type: 'order.recorded',
        created_at: '2026-03-02T09:00:00.000Z',
        partner_id: 'ptr_local',
        data: { order: { public_id, domain, status, sale_price_cents, currency } },
      }),
    );
  });

  test('carries no header of ours but the three that are promised', async () => {
    const { hook } = await withAttempt();
    const [got] = hook.received;
    const names = got?.headers
      .map(([name]) => name.toLowerCase())
      .filter((name) => !HTTP_ITSELF.includes(name));
    expect(names?.toSorted()).toEqual(['content-type', 'user-agent', 'x-service-signature']);
    if (!got) return;
    expect(headerOf(got, 'Content-Type')).toBe('application/json');
    expect(headerOf(got, 'User-Agent')).toBe(`sandlot/${pkg.version}`);
    expect(headerOf(got, 'X-Service-Signature')).toMatch(/^[0-9a-f]{64}$/);
    expect(headerOf(got, 'Content-Length')).toBe(String(Buffer.byteLength(got.body)));
  });

  test('follows for every event of an order, in the order of the events', async () => {
    const { at, hook } = await withReceiver();
    for (let n = 0; n < 5; n += 1) {
      const { public_id } = await orderFor(at, n);
      await at.control.post(`/orders/${public_id}/advance`, { to: 'TRANSFER_COMPLETED' });
    }
    await at.control.post('/settlements/run');
    await at.idle();
    const events = await allEvents(at);
    expect(events).toHaveLength(20);
    const ids = hook.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
    expect(ids).toEqual(events.map((event) => event.id));
  });

  test('begins only with what happens after the registration', async () => {
    const at = await sandbox();
    const hook = await receiver();
    const { public_id } = await orderFor(at);
    await register(at, hook.url);
    await at.control.post(`/orders/${public_id}/advance`, { action: 'refund' });
    await at.idle();
    expect(typesOf(hook)).toEqual(['order.refunded']);
  });
});

describe('success', () => {
  test('is 200', async () => {
    const { at } = await withAttempt(200);
    expect(await deliveriesOf(at)).toEqual([
      {
        delivery_id: expect.stringMatching(/^dlv_/),
        event_id: expect.stringMatching(/^evt_/),
        event_type: 'order.recorded',
        subject_id: expect.stringMatching(/^ord_/),
        domain: (await seededListing(0)).domain,
        url: expect.stringContaining('/hook'),
        status: 'delivered',
        attempts: [
          {
            at: '2026-03-02T09:00:00.000Z',
            outcome: 'ok',
            http_status: 200,
            duration_ms: expect.any(Number),
          },
        ],
        last_response: '200',
        next_attempt_at: null,
        created_at: '2026-03-02T09:00:00.000Z',
      },
    ]);
  });

  test.each([201, 204, 301, 302, 307, 401, 410, 429, 500])(
    'is not %d, and no Location is followed',
    async (status) => {
      const elsewhere = await receiver(200);
      const { at, hook } = await withAttempt((response) => {
        response.writeHead(status, { Location: elsewhere.url }).end();
      });
      expect(await onlyDelivery(at)).toMatchObject({
        status: 'pending',
        attempts: [{ outcome: `status ${status}`, http_status: status }],
        next_attempt_at: '2026-03-02T09:00:05.000Z',
      });
      expect(hook.received).toHaveLength(1);
      expect(elsewhere.received).toEqual([]);
    },
  );

  test('shows a cut response without half a character', async () => {
    const { at } = await withAttempt(
      (response) => void response.end(`x${'\u{1f600}'.repeat(5_000)}`),
    );
    const { attempts } = await at.control.get<{ attempts: { response: string }[] }>(
      `/deliveries/${(await onlyDelivery(at)).delivery_id}`,
    );
    expect(attempts.map(({ response }) => response.isWellFormed())).toEqual([true]);
  });

  test('does not wait for the end of an endless response', async () => {
    let written = 0;
    const closed = Promise.withResolvers<void>();
    const { at, hook } = await withAttempt((response) => {
      response.writeHead(200).on('close', closed.resolve);
      const more = () => {
        written += 16_384;
        // A receiver that babbles on until it is cut off.
        response.write(Buffer.alloc(16_384, 'x'), () => response.destroyed || setImmediate(more));
      };
      more();
    });
    expect((await deliveriesOf(at))[0]).toMatchObject({
      status: 'delivered',
      attempts: [{ outcome: 'ok', http_status: 200 }],
    });
    expect(written).toBeGreaterThan(64 * 1024);
    await closed.promise;
    // The next delivery takes a new connection and arrives.
    hook.response = 200;
    await orderFor(at, 1);
    await at.idle();
    expect(hook.received).toHaveLength(2);
  });
});

describe('an error is reported', () => {
  async function outcomeOf(url: string): Promise<string | undefined> {
    const at = await sandbox();
    await register(at, url);
    await orderFor(at);
    await at.idle();
    const { status, attempts } = await onlyDelivery(at);
    expect([status, attempts[0]?.http_status]).toEqual(['pending', null]);
    return attempts[0]?.outcome;
  }

  test.each<[outcome: string, condition: string, url: () => Promise<string> | string]>([
    ['connection_refused', 'no server listens', deadUrl],
    ['connection_reset', 'the connection is cut', async () => (await receiver(RESET)).url],
    ['not_http', 'the server speaks SMTP', async () => (await receiver(SMTP)).url],
    ['tls_failed', 'it is HTTP', async () => (await receiver()).url.replace('http:', 'https:')],
    ['dns_failed', 'the name does not exist', () => 'http://nowhere.example/'],
    ['dns_failed', 'the name is too long', () => `http://${'a'.repeat(64)}.example/`],
  ])('as %s if %s', async (outcome, _, url) => {
    const target = await url();
    resolving({});
    expect(await outcomeOf(target)).toBe(outcome);
  });

  test.each([
    ['169.254.169.254'],
    ['fe80::1'],
    ['::ffff:169.254.169.254'],
    ['64:ff9b:1::169.254.169.254'],
    ['fe80::1%lo'],
    ['255.255.255.255'],
    ['ff02::fb'],
    ['fe80::1', '169.254.1.1'],
  ])('when the name leads to forbidden addresses only: %s', async (...addresses) => {
    resolving({ 'metadata.example': addresses });
    expect(await outcomeOf('http://metadata.example/')).toBe('forbidden_address');
  });

  test.each([
    [['127.0.0.1']],
    [['fe80::1', '127.0.0.1']],
    [['127.0.0.1', '169.254.1.1', 'ff02::fb']],
  ])(
    'but a name with the addresses %j is followed to those that are allowed',
    async (addresses) => {
      const hook = await receiver();
      resolving({ 'hook.example': addresses });
      const at = await sandbox();
      await register(at, hook.url.replace('127.0.0.1', 'hook.example'));
      await orderFor(at);
      await at.idle();
      expect(hook.received).toHaveLength(1);
    },
  );
});

describe('a receiver that is slow', () => {
  test('has 5 s, and no more', async () => {
    const runtime = manualTimers();
    const closed = Promise.withResolvers<void>();
    const respond = (response: ServerResponse) => {
      response.on('close', closed.resolve);
      runtime.ring(RECEIVER_TIMEOUT_MS);
    };
    const { at } = await withAttempt(respond, { runtime, requestLog: 0 });
    expect(await deliveriesOf(at)).toMatchObject([
      { status: 'pending', attempts: [{ outcome: 'timeout', http_status: null }] },
    ]);
    expect(runtime.waiting()).toEqual([]);
    await closed.promise;
  });

  test.each([
    [200, 'ok'],
    [500, 'status 500'],
  ])('with its body only has responded with its status: %i', async (status, outcome) => {
    const runtime = manualTimers();
    const ring = () => setImmediate(() => runtime.ring(RECEIVER_TIMEOUT_MS));
    subscribe(RESPONSE_HEAD, ring);
    onTestFinished(() => void unsubscribe(RESPONSE_HEAD, ring));
    const { at } = await withAttempt(
      (response) => void response.writeHead(status).write('wait for it'),
      { runtime },
    );
    expect(await deliveriesOf(at)).toMatchObject([
      { attempts: [{ outcome, http_status: status }] },
    ]);
  });

  test('delays no other request', async () => {
    const { at, hook: slow } = await withReceiver(HELD);
    const other = await mint(at, { partner: 'other' });
    const quick = await receiver();
    await register(at, quick.url, { key: other });
    await orderFor(at, 0);
    await slow.came(1);
    await orderFor(at, 1, other);
    await quick.came(1);
    expect((await deliveriesOf(at)).map((delivery) => delivery.status)).toContain('pending');
    slow.release();
    await at.idle();
    expect(await deliveriesOf(at)).toMatchObject(Array(2).fill({ status: 'delivered' }));
  });

  test('gets its deliveries one after the other', async () => {
    let open = 0;
    let most = 0;
    const { at, hook } = await withReceiver((response) => {
      open += 1;
      most = Math.max(most, open);
      setImmediate(() => {
        open -= 1;
        response.writeHead(200).end();
      });
    });
    await Promise.all(Array.from({ length: 10 }, (_, n) => orderFor(at, n)));
    await at.idle();
    expect(hook.received).toHaveLength(10);
    expect(most).toBe(1);
  });
});
