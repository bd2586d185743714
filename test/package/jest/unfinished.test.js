const { createSandbox } = require('sandlot');

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
