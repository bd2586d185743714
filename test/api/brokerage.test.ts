import { describe, expect, test } from 'vitest';
import type { InProcessSandbox, Key } from '../../src/index.ts';
import { ask, got, send } from '../support/calls.ts';
import {
  brokerageInputFor,
  type Case,
  type CaseDetail,
  caseFor,
  commissions,
  deal,
} from '../support/money.ts';
import { allEvents, mint, mintLive, orderFor } from '../support/orders.ts';
import { rightSignature, withReceiver } from '../support/receiver.ts';
import { answered, invalid, rejection } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';
import { seededListing } from '../support/seeded-listings.ts';
import { sharedWatched, watched } from '../support/unchanged.ts';

const WANTED = 'wanted.example';

interface Eligibility {
  domain: string;
  eligible: boolean;
  reasons: string[];
}

function eligibility(at: InProcessSandbox, domain: string, key?: Key): Promise<Eligibility> {
  return got(at, `/brokerage/eligibility?domain=${domain}`, key);
}

function advance(at: InProcessSandbox, { case_id }: Case, body: object): Promise<CaseDetail> {
  return at.control.post(`/brokerage/${case_id}/advance`, body);
}

/** For calls that are rejected. */
const shared = await sharedWatched();

describe('eligibility', () => {
  test('has exactly these fields, with no reason for an unused domain', async () => {
    const at = await sandbox();
    expect(await eligibility(at, WANTED)).toStrictEqual({
      domain: WANTED,
      eligible: true,
      reasons: [],
    });
  });

  test('accepts other spellings, and returns the normal one', async () => {
    const at = await sandbox();
    expect((await eligibility(at, '%20WANTED.Example.%20')).domain).toBe(WANTED);
    expect((await eligibility(at, 'b%C3%BCcher.example')).domain).toBe('xn--bcher-kva.example');
  });

  test('is rejected for a listed domain until it is sold', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const listed = { domain, eligible: false, reasons: ['listed'] };
    expect(await eligibility(at, domain)).toEqual(listed);
    const order = await orderFor(at);
    expect(await eligibility(at, domain)).toMatchObject({ eligible: true });
    await send(at, '/refunds', { public_id: order.public_id });
    expect(await eligibility(at, domain)).toEqual(listed);
  });

  test.each([
    ['active-site.test', ['active_site']],
    ['open-case.test', ['open_case']],
    ['held-order.test', ['listed']],
    ['reserved.test', ['listed']],
  ])('%s is ineligible: %j', async (domain, reasons) => {
    const { at, rejected } = shared;
    expect(await eligibility(at, domain)).toEqual({ domain, eligible: false, reasons });
    const response = await rejected(() => send(at, '/brokerage', brokerageInputFor(domain)));
    expect(response).toMatchObject({ status: 409, code: 'conflict' });
    for (const reason of reasons) expect(response.message).toContain(reason);
  });

  test('is rejected while there is an open case, and accepted after it is closed', async () => {
    const { at, rejected } = await watched();
    const other = await mint(at, { partner: 'other' });
    for (const last of ['CLOSED', 'COMPLETED']) {
      const opened = await caseFor(at, WANTED);
      for (const to of ['NEGOTIATING', last]) {
        for (const key of [at.credential, other]) {
          expect((await eligibility(at, WANTED, key)).reasons).toEqual(['open_case']);
          const response = await rejected(() =>
            send(at, '/brokerage', brokerageInputFor(WANTED), key),
          );
          expect(response).toMatchObject({ status: 409, code: 'conflict' });
        }
        await advance(at, opened, { to });
      }
      expect((await eligibility(at, WANTED, other)).eligible).toBe(true);
    }
  });

  test('is a matter of one environment: LIVE knows no magic and no case of SANDBOX', async () => {
    const at = await sandbox();
    const live = await mintLive(at, { partner: 'local' });
    await caseFor(at, WANTED);
    for (const domain of [WANTED, 'active-site.test', 'open-case.test', 'held-order.test']) {
      expect(await eligibility(at, domain, live)).toMatchObject({ eligible: true });
    }
    await caseFor(at, WANTED, live);
    await caseFor(at, 'active-site.test', live);
  });

  test.each(['', 'domain=', 'domain=nodots', 'domain=a.example&domain=b.example', 'q=a.example'])(
    'asked with %j is a validation error, and no case of that name',
    async (query) => {
      const at = await sandbox();
      const response = await rejection(await ask(at, `/brokerage/eligibility?${query}`));
      expect(response).toMatchObject({ status: 400, code: 'validation_error' });
      expect(response.message).toMatch(/^domain: /);
    },
  );
});

describe('a case', () => {
  test.each(['managed', 'self_serve'])(
    'of tier %s returns exactly its documented fields',
    async (tier) => {
      const at = await sandbox();
      const body = { domain: ' Wanted.EXAMPLE. ', tier, buyer_email: 'ada@example.com', budget: 5 };
      const now = '2026-03-02T09:00:00.000Z';
      expect(await answered(await send(at, '/brokerage', body), 201)).toStrictEqual({
        case_id: expect.stringMatching(/^brk_[0-9a-z]+$/),
        domain: WANTED,
        tier,
        status: 'OPEN',
        buyer_email: 'ada@example.com',
        budget_cents: 5,
        currency: 'USD',
        progress_url: expect.stringMatching(/^http:\/\/localhost\/brokerage\/[\w.-]{20,}$/),
        created_at: now,
        updated_at: now,
      });
    },
  );

  test('takes its budget under either name, and the currency it is in', async () => {
    const at = await sandbox();
    const budgets: object[] = [
      { budget: 123 },
      { budget_cents: 123 },
      { budget: 123, budget_cents: 123 },
      { budget: 123, budget_cents: null, currency: null },
      { budget: 123, currency: 'USD' },
    ];
    for (const [n, budget] of budgets.entries()) {
      const body = { domain: `w${n}.example`, tier: 'managed', buyer_email: 'a@b.co', ...budget };
      const opened = await answered<Case>(await send(at, '/brokerage', body), 201);
      expect(opened).toMatchObject({ budget_cents: 123, currency: 'USD' });
    }
  });

  test.each([
    ['domain', { domain: undefined }],
    ['tier', { tier: undefined }],
    ['tier', { tier: 'MANAGED' }],
    ['buyer_email', { buyer_email: undefined }],
    ['budget_cents', { budget_cents: undefined }],
    ['budget_cents', { budget_cents: 10.5 }],
    ['budget_cents', { budget_cents: 1_000_000_000_001 }],
    ['budget', { budget_cents: undefined, budget: 1e300 }],
    ['budget', { budget: 499_999 }],
    ['currency', { currency: 'EUR' }],
  ])('with an invalid %s is rejected and changes nothing: %j', async (field, wrong) => {
    const { at, rejected } = shared;
    expect(
      await rejected(() => send(at, '/brokerage', brokerageInputFor(WANTED, wrong))),
    ).toMatchObject(invalid(field));
  });

  test('is opened once, however many ask at once', async () => {
    const at = await sandbox();
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => send(at, '/brokerage', brokerageInputFor(WANTED))),
    );
    const rejected = responses.filter(({ status }) => status !== 201);
    expect(rejected).toHaveLength(19);
    for (const each of rejected) expect(await rejection(each)).toMatchObject({ code: 'conflict' });
  });

  test('is shown with its timeline and, once there is one, the price of the deal', async () => {
    const at = await sandbox();
    const opened = await caseFor(at, WANTED);
    const show = () => got<CaseDetail>(at, `/brokerage/${opened.case_id}`);
    const entry = (status: string, time: string, event: string | null = null) => ({
      status,
      at: `2026-03-02T${time}:00.000Z`,
      event,
      note: null,
    });
    expect(await show()).toStrictEqual({ ...opened, timeline: [entry('OPEN', '09:00')] });
    await at.control.post('/clock/advance', { by: '1h' });
    await advance(at, opened, { to: 'NEGOTIATING' });
    await at.control.post('/clock/advance', { by: '1h' });
    await advance(at, opened, { to: 'COMPLETED', deal_price_cents: 123_450 });
    expect(await show()).toStrictEqual({
      ...opened,
      status: 'COMPLETED',
      updated_at: '2026-03-02T11:00:00.000Z',
      timeline: [
        entry('OPEN', '09:00'),
        entry('NEGOTIATING', '10:00'),
        entry('COMPLETED', '11:00', 'brokerage.case_completed'),
      ],
      deal_price_cents: 123_450,
    });
  });
});

describe('the list', () => {
  test('shows outcomes without timelines, and is empty at first', async () => {
    const at = await sandbox();
    expect(await got(at, '/brokerage')).toStrictEqual({ cases: [], next_cursor: null });
    await deal(at, 'a.example', 5_000);
    await advance(at, await caseFor(at, 'b.example'), { to: 'CLOSED' });
    const { cases } = await got<{ cases: Case[] }>(at, '/brokerage');
    expect(cases).toMatchObject([{ status: 'CLOSED' }, { status: 'COMPLETED' }]);
    for (const each of cases) expect(each).not.toHaveProperty('timeline');
  });
});

describe('moving a case', () => {
  const STATES = ['OPEN', 'NEGOTIATING', 'COMPLETED', 'CLOSED'] as const;
  /** From OPEN, the way to an end leads through NEGOTIATING. */
  const LEGAL: Record<string, readonly string[]> = {
    OPEN: ['NEGOTIATING', 'COMPLETED', 'CLOSED'],
    NEGOTIATING: ['COMPLETED', 'CLOSED'],
    COMPLETED: [],
    CLOSED: [],
  };
  const moves = STATES.flatMap((from) => STATES.map((to) => [from, to] as const));

  test.each(moves)('from %s to %s succeeds or is rejected as in the table', async (from, to) => {
    const { at, controlRejected } = await watched();
    const opened = await caseFor(at, WANTED);
    if (from !== 'OPEN') await advance(at, opened, { to: from });
    if (LEGAL[from]?.includes(to)) {
      const moved = await advance(at, opened, { to });
      expect(moved).toMatchObject({ status: to, partner_id: 'ptr_local', environment: 'SANDBOX' });
      expect(moved.timeline.map(({ status }) => status)).toEqual(
        from === 'OPEN' && to !== 'NEGOTIATING'
          ? ['OPEN', 'NEGOTIATING', to]
          : [...new Set(['OPEN', 'NEGOTIATING', to])],
      );
      return;
    }
    const error = await controlRejected(() => advance(at, opened, { to }));
    expect(error).toMatchObject({ status: 409, code: 'conflict' });
    expect(error.message).toContain(from);
  });

  test.each([
    {},
    { to: 'SETTLED' },
    { to: 'NEGOTIATING', deal_price_cents: 5 },
    { to: 'CLOSED', deal_price_cents: 5 },
    { to: 'COMPLETED', deal_price_cents: 0 },
    { to: 'COMPLETED', deal_price_cents: -5 },
    { to: 'COMPLETED', deal_price_cents: 0.5 },
    { to: 'COMPLETED', deal_price_cents: 1_000_000_000_001 },
    { to: 'COMPLETED', price: 5 },
  ])('by %j is a validation error and changes nothing', async (body) => {
    const { at, controlRejected } = await watched();
    const opened = await caseFor(at, WANTED);
    expect(await controlRejected(() => advance(at, opened, body))).toMatchObject({
      status: 400,
      code: 'validation_error',
    });
  });

  test('of a case that never was is not found', async () => {
    const { at, controlRejected } = await watched();
    const opened = await caseFor(at, WANTED);
    const never = { ...opened, case_id: 'brk_never' };
    const error = await controlRejected(() => advance(at, never, { to: 'CLOSED' }));
    expect(error).toMatchObject({ status: 404, code: 'not_found' });
  });

  test('without a price closes the deal at its budget', async () => {
    const at = await sandbox();
    const moved = await advance(at, await caseFor(at, WANTED), { to: 'COMPLETED' });
    expect(moved.deal_price_cents).toBe(500_000);
  });

  test('to CLOSED sells nothing and sends no event', async () => {
    const at = await sandbox();
    const closed = await advance(at, await caseFor(at, WANTED), { to: 'CLOSED' });
    expect(closed).not.toHaveProperty('deal_price_cents');
    expect(await allEvents(at)).toEqual([]);
    expect(await got(at, '/transactions')).toMatchObject({ transactions: [] });
    expect(await commissions(at)).toEqual([]);
  });
});

describe('a deal', () => {
  test('emits brokerage.case_completed once, with exactly the documented data', async () => {
    const { at, hook } = await withReceiver();
    const opened = await caseFor(at, WANTED);
    await advance(at, opened, { to: 'COMPLETED', deal_price_cents: 123_450 });
    await at.idle();
    const data = {
      case: {
        case_id: opened.case_id,
        domain: WANTED,
        status: 'COMPLETED',
        tier: 'managed',
        deal_price_cents: 123_450,
        currency: 'USD',
        commission_cents: 6_173,
      },
    };
    const { events } = await got<{ events: { id: string }[] }>(at, '/events');
    expect(events).toStrictEqual([
      {
        id: expect.stringMatching(/^evt_/),
        type: 'brokerage.case_completed',
        created_at: '2026-03-02T09:00:00.000Z',
        data,
      },
    ]);
    expect(hook.received).toHaveLength(1);
    const [delivery] = hook.received;
    expect(JSON.parse(delivery?.body ?? '')).toStrictEqual({
      ...events[0],
      partner_id: 'ptr_local',
    });
    expect(delivery?.headers).toContainEqual([
      'X-Service-Signature',
      delivery && rightSignature(delivery),
    ]);
  });

  test('is a sale with an accrued commission of the partner, and no order', async () => {
    const at = await sandbox();
    const sale = await deal(at, WANTED, 1_000_010);
    expect(sale).toStrictEqual({
      transaction_id: expect.stringMatching(/^txn_/),
      domain: WANTED,
      payment_model: 'brokerage',
      status: 'PAID',
      sale_price_cents: 1_000_010,
      commission_cents: 50_001,
      currency: 'USD',
      order_public_id: null,
      created_at: '2026-03-02T09:00:00.000Z',
    });
    expect(await commissions(at)).toMatchObject([
      { transaction_id: sale.transaction_id, status: 'ACCRUED', amount_cents: 50_001 },
    ]);
    expect(await got(at, '/me/sales')).toEqual({ sales: [], next_cursor: null });
    expect(await got(at, '/orders')).toMatchObject({ orders: [] });
  });

  test('that is refunded does not relist the domain, which belonged to its owner before', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    // Sold here once, to a buyer from whom it is bought back.
    await orderFor(at);
    const sale = await deal(at, domain, 10_000);
    await at.control.post(`/transactions/${sale.transaction_id}/refund`);
    expect(await got(at, `/availability?domain=${domain}`)).toMatchObject({ available: false });
    const { domain: other } = await seededListing(1);
    await at.control.patch(`/inventory/${other}`, { status: 'sold' });
    const brought = await deal(at, other, 10_000);
    await at.control.post(`/transactions/${brought.transaction_id}/refund`);
    expect(await got(at, `/availability?domain=${other}`)).toMatchObject({ available: false });
  });

  test('on a domain that was relisted meanwhile takes it off the market', async () => {
    const at = await sandbox();
    const { domain } = await seededListing();
    const { public_id } = await orderFor(at);
    const { case_id } = await caseFor(at, domain);
    await send(at, '/refunds', { public_id });
    expect(await got(at, `/availability?domain=${domain}`)).toMatchObject({ available: true });
    await at.control.post(`/brokerage/${case_id}/advance`, { to: 'COMPLETED' });
    expect(await got(at, `/availability?domain=${domain}`)).toMatchObject({ available: false });
  });

  test.each(['refund', 'cancel'])(
    'keeps a domain off the market when an older order for it meets a %s',
    async (action) => {
      const at = await sandbox();
      const { domain } = await seededListing();
      const { public_id } = await orderFor(at);
      await deal(at, domain, 10_000);
      await at.control.post(`/orders/${public_id}/advance`, { action });
      expect(await got(at, `/availability?domain=${domain}`)).toMatchObject({ available: false });
    },
  );

  test.each([true, false])(
    'and an older order give the domain back when both are refunded, first the deal: %s',
    async (first) => {
      const at = await sandbox();
      const { domain } = await seededListing();
      const { public_id } = await orderFor(at);
      const { transaction_id } = await deal(at, domain, 10_000);
      const refundDeal = () => at.control.post(`/transactions/${transaction_id}/refund`);
      if (first) await refundDeal();
      await send(at, '/refunds', { public_id });
      if (!first) await refundDeal();
      expect(await got(at, `/availability?domain=${domain}`)).toMatchObject({ available: true });
    },
  );
});
