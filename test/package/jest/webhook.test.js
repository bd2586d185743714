const http = require('node:http');
const { createSandbox } = require('sandlot');

test('a webhook is delivered, pages and tools load, and close ends all of it', async () => {
  const sandbox = await createSandbox({ inventory: 20 });
  const bodies = [];
  const receiver = http.createServer(async (request, response) => {
    bodies.push(JSON.parse((await request.toArray()).join('')));
    response.end();
  });
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${receiver.address().port}`;
  await sandbox.control.put('/webhooks', { url, secret: 'secret-of-this-test' });
  await sandbox.control.post('/webhooks/fire', { type: 'order.settled' });
  expect(bodies).toMatchObject([{ type: 'order.settled' }]);
  for (const path of ['/_sandbox/dashboard/orders', '/_sandbox/golive', '/_sandbox/openapi.json']) {
    expect((await sandbox.fetch(path)).status).toBe(200);
  }
  const rejected = await sandbox.control.get('/orders/ord_none').catch((error) => error);
  expect(rejected.constructor.name).toBe('ControlApiError');
  const abort = new AbortController();
  const stream = await sandbox.fetch('/_sandbox/stream', { signal: abort.signal });
  abort.abort();
  await expect(stream.text()).rejects.toMatchObject({ name: 'AbortError' });
  await sandbox.close();
  await new Promise((resolve) => receiver.close(resolve));
});

test('what is still loading or waiting ends with the sandbox', async () => {
  const sandbox = await createSandbox({ inventory: 20 });
  await sandbox.call({ method: 'GET', target: '/api/partner/v1/orders' });
  const unfinished = [
    sandbox.fetch('/_sandbox/dashboard/orders'),
    sandbox.control.get('/golive'),
    sandbox.control.get('/openapi.json'),
    sandbox.fetch('/_sandbox/requests/stream'),
  ];
  await sandbox.close();
  await Promise.allSettled(unfinished);
  await expect(sandbox.fetch('/_sandbox/status')).rejects.toThrow('the sandbox is closed');
});
