import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../src/index.ts';
import { commandLine } from '../cli/command-line.ts';
import { send } from '../support/calls.ts';
import type { Session } from '../support/money.ts';
import { magic, mint, orderBody, quoteFor, requestOrder, requestQuote } from '../support/orders.ts';
import { newestLogged } from '../support/request-log.ts';
import { answered } from '../support/responses.ts';
import { sandbox } from '../support/sandbox.ts';

const DOMAIN = 'held-order.test';

interface Step {
  check: string;
  result: string;
  detail: Record<string, unknown>;
}

async function failedStep(at: InProcessSandbox, api = 'partner'): Promise<Step | undefined> {
  return (await newestLogged(at, { api })).trace.find(({ result }) => result === 'failed');
}

/** A domain that acme has quoted, and what explains it. */
async function reserved() {
  const at = await sandbox();
  const acme = await mint(at, { partner: 'acme' });
  const { expires_at } = await quoteFor(at, DOMAIN, acme);
  const partner_id = acme.partner_id;
  const quote = expect.stringMatching(/^qt_\w{16}$/);
  const reservation = { quote, partner: 'acme', partner_id, expires_at };
  return { at, acme, reservation };
}

test('the trace of a rejected quote and of a rejected order names the quote, its partner, its end and its request', async () => {
  const { at, reservation } = await reserved();
  const message = `domain: ${DOMAIN} is reserved by another partner's quote`;
  for (const response of [
    await requestQuote(at, DOMAIN),
    await requestOrder(at, orderBody(magic('held-order', 250_000))),
  ]) {
    expect(response.status).toBe(409);
    expect(await response.json()).toEqual({ error: { code: 'conflict', message } });
    expect(await failedStep(at)).toMatchObject({
      check: 'rules',
      detail: { message, reservation },
    });
  }
});

test('the trace of a payment that a quote prevents names the quote', async () => {
  const { at, reservation } = await reserved();
  const key = await mint(at, { partner: 'buyer' });
  const session = await answered<Session>(
    await send(at, '/checkout-session', { domain: DOMAIN }, key),
    201,
  );
  await expect(at.control.post(`/checkout-sessions/${session.session_id}/pay`)).rejects.toThrow(
    'reserves',
  );
  expect(await failedStep(at, 'control')).toMatchObject({ detail: { reservation } });
});

test('the trace of a magic domain says that the reservation is its behavior', async () => {
  const at = await sandbox();
  expect((await requestQuote(at, 'reserved.test')).status).toBe(409);
  expect((await failedStep(at))?.detail.reservation).toEqual({ magic_domain: 'reserved.test' });
});

test('requests show explains a reservation', async () => {
  const { at, reservation } = await reserved();
  await requestQuote(at, DOMAIN);
  const { request_id } = await newestLogged(at);
  const run = commandLine(at);
  const { stdout } = await run(`requests show ${request_id}`);
  const { partner, partner_id, expires_at } = reservation;
  for (const part of [partner, partner_id, expires_at]) expect(stdout).toContain(part);
});
