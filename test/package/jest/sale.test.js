const { createSandbox } = require('sandlot');

let sandbox;
beforeAll(async () => {
  sandbox = await createSandbox();
});
afterAll(() => sandbox.close());

const SALE = {
  domain: 'held-order.test',
  expected_price: 250_000,
  currency: 'USD',
  buyer: { email: 'buyer@example.com' },
};

test('a sandbox sells a domain, also with the fake timers of jest', async () => {
  for (const key of ['k-1', 'k-2']) {
    const response = await sandbox.call({
      method: 'POST',
      target: '/api/partner/v1/orders',
      headers: { 'Idempotency-Key': key },
      body: SALE,
    });
    expect(response.status).toBe(201);
    expect(await response.json()).toMatchObject({ status: 'EXTERNALLY_PAID' });
    await sandbox.control.post('/clock/advance', { by: '1h' });
    await sandbox.idle();
    jest.useFakeTimers();
  }
  await sandbox.reset();
});
