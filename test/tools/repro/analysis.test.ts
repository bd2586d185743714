import { describe, expect, test } from 'vitest';
import { replayRepro } from '../../../src/index.ts';
import { lazilyAsync } from '../../../src/kernel/lazily.ts';
import { magic, orderBody, orderFor, requestOrder } from '../../support/orders.ts';
import { loggedIds } from '../../support/request-log.ts';
import { rejection } from '../../support/responses.ts';
import { sharedSandbox } from '../../support/sandbox.ts';

const HELD = magic('held-order', 250_000);

const at = await sharedSandbox();

const afterARejection = lazilyAsync(async () => {
  const { public_id: id } = await orderFor(at, 0);
  await requestOrder(at, orderBody({ ...HELD, price_cents: 1 }));
  const [rejected = ''] = await loggedIds(at);
  await at.control.post(`/orders/${id}/advance`, { action: 'hold', note: 'odd' });
  return { id, rejected };
});

describe('over the recording of the running sandbox', () => {
  test('minimize gives a file of the request alone, and changes nothing', async () => {
    const { rejected } = await afterARejection();
    const before = await at.control.get('/orders');
    const file = await at.control.postForFile('/repro/minimize', { request: rejected });
    const summary = JSON.parse(file.headers.get('x-sandlot-repro-summary') ?? '');
    expect(summary).toMatchObject({
      file: `sandlot-default-${rejected}.min.repro.gz`,
      inputs: 1,
      verified: true,
    });
    const replayed = await replayRepro(new Uint8Array(await file.arrayBuffer()));
    expect(replayed).toMatchObject({ result: 'reproduced', inputs: 1 });
    expect(await at.control.get('/orders')).toEqual(before);
  });

  test('steps lists what came up to a request, and how it changed the state', async () => {
    const { id, rejected } = await afterARejection();
    const until = await at.control.get('/repro/steps', { request: rejected });
    expect(until).toMatchObject({
      steps: [
        { text: expect.stringContaining('/orders'), result: expect.stringContaining('201') },
        { request_id: rejected, result: expect.stringContaining('422') },
      ],
      difference: [],
    });
    const first = await at.control.get('/repro/steps', { at: '1' });
    expect(first).toMatchObject({ at: '1' });
    expect((first as { difference: object[] }).difference).toContainEqual(
      expect.objectContaining({ type: 'order', id, change: 'added' }),
    );
  });

  test('why names what set a value, as a request saw it', async () => {
    const { id } = await afterARejection();
    await at.call({ method: 'GET', target: `/api/partner/v1/orders/${id}` });
    const cause = await at.control.get('/repro/why', { path: 'order.status' });
    expect(cause).toMatchObject({
      path: 'order.status',
      id,
      value: 'MANUAL_REVIEW',
      changes: [
        { old: null, new: 'EXTERNALLY_PAID' },
        { old: 'EXTERNALLY_PAID', new: 'MANUAL_REVIEW', cause: 'request' },
      ],
    });
  });

  test.each([
    ['steps?request=req_none', 404, 'req_none not found'],
    ['steps?at=999', 400, 'at: the recording has no act 999'],
    ['steps?at=x', 400, 'at: must be a number'],
    ['why?path=order', 400, 'path: must be TYPE.FIELD'],
    ['why?path=order[ord_none].status', 400, 'path: unknown order ord_none'],
    ['why?path=listing[brew.io].nothing', 400, 'path: '],
  ])('%s is rejected with %i', async (query, status, message) => {
    await afterARejection();
    const found = await rejection(await at.fetch(`/_sandbox/repro/${query}`));
    expect(found.status).toBe(status);
    expect(found.message).toContain(message);
  });
});
