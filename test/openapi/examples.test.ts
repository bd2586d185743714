import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeExamples } from '../../scripts/docs/openapi-examples/make.ts';
import { ENDPOINTS } from '../../src/api/index.ts';
import { createSandbox } from '../../src/index.ts';
import { verifyWebhook } from '../../src/signing/signature.ts';
import { ERROR_CODES } from '../support/error-codes.ts';
import { createValidator } from '../support/openapi/validator.ts';
import { receiver, WEBHOOK_SECRET } from '../support/receiver.ts';
import { sandbox } from '../support/sandbox.ts';
import { ROOT } from '../support/sandlot-process.ts';

const file = JSON.parse(fs.readFileSync(path.join(ROOT, 'fixtures/openapi-examples.json'), 'utf8'));

test('the examples are up to date (npm run docs updates them)', async () => {
  expect(await makeExamples(createSandbox)).toEqual(file);
});

test('every endpoint of the partner API has an example of a success', () => {
  expect(Object.keys(file.calls).toSorted()).toEqual(ENDPOINTS.map(({ name }) => name).toSorted());
});

test('every error code has an example, and so has a body that is too large', () => {
  expect(Object.keys(file.errors).toSorted()).toEqual(['413', ...ERROR_CODES].toSorted());
});

test('every event of the specification has a delivery, signed with the secret of the registration', () => {
  const events = Object.entries(file.webhooks as Record<string, Delivered>);
  expect(events.map(([type]) => type).toSorted()).toEqual([
    'brokerage.case_completed',
    'order.manual_review_cleared',
    'order.recorded',
    'order.refunded',
    'order.settled',
    'order.transfer_completed',
    'order.transfer_started',
  ]);
  const validator = createValidator();
  for (const [type, { body, signature }] of events) {
    expect(body.type).toBe(type);
    expect(verifyWebhook('whsec_example', JSON.stringify(body), signature), type).toBe(true);
    expect(validator.deliveryViolations(JSON.stringify(body)), type).toEqual([]);
  }
});

test('a sample webhook has the fields of a real one', async () => {
  const at = await sandbox();
  const hook = await receiver();
  const validator = createValidator();
  for (const type of Object.keys(file.webhooks)) {
    await at.control.post('/webhooks/fire', { type, url: hook.url, secret: WEBHOOK_SECRET });
    expect(validator.deliveryViolations(hook.received.at(-1)?.body ?? '{}'), type).toEqual([]);
  }
  expect(validator.deliveryViolations('{"type":"order.settled"}')).not.toEqual([]);
});

interface Delivered {
  body: { type: string };
  signature: string;
}
