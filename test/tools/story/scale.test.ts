import fs from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { InProcessSandbox } from '../../../src/index.ts';
import { commandLine } from '../../cli/command-line.ts';
import { magic, orderBody, orderFor, requestOrder } from '../../support/orders.ts';
import { receiver, register } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';
import { stateFolder } from '../../support/state-folder.ts';

async function drawingOf(at: InProcessSandbox, id: string): Promise<string> {
  const response = await at.fetch(`/_sandbox/orders/${id}/story.svg`);
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'image/svg+xml; charset=utf-8',
  ]);
  return response.text();
}

/** The height of each text of a kind, by the text. */
function placesOf(drawing: string): Map<string, number> {
  const texts = drawing.matchAll(/<text x="530" y="([\d.]+)"[^>]*>([^<]*)</g);
  return new Map([...texts].map(([, y, text]) => [text ?? '', Number(y)]));
}

test('waits are as long as the sandbox time that passes, and short ones say that they are not', async () => {
  const at = await sandbox();
  const hook = await receiver(503);
  await register(at, hook.url);
  const { public_id: id } = await orderFor(at);
  await at.idle();
  await at.control.post('/clock/advance', { by: '12h' });
  await at.idle();
  const drawing = await drawingOf(at, id);
  const places = placesOf(drawing);
  const waitBefore = (n: number) => {
    const yOf = (attempt: number) => places.get(`order.recorded, attempt ${attempt} of 8`) ?? 0;
    return yOf(n) - yOf(n - 1);
  };
  expect(waitBefore(8) / waitBefore(7)).toBeCloseTo(3);
  expect(waitBefore(3)).toBe(waitBefore(4));
  expect(drawing.match(/class="axis stretched"/g)?.length).toBeGreaterThan(2);
  expect(drawing).toContain('A dashed wait is shorter than drawn.');
  expect(drawing).toContain('order.recorded: 8h 42m of attempts');
});

test('a drawing without waits says so, and its texts are escaped', async () => {
  const at = await sandbox();
  const sale = orderBody(magic('held-order', 250_000));
  const order = (await (await requestOrder(at, sale)).json()) as { public_id: string };
  const id = order.public_id;
  await at.control.post(`/orders/${id}/advance`, { action: 'clear', note: '<b>&\u202e</b>' });
  const drawing = await drawingOf(at, id);
  expect(drawing).toContain('No sandbox time passes between the steps.');
  expect(drawing).toContain('&lt;b&gt;&amp;');
  expect(drawing.includes('<b>')).toBe(false);
  expect(drawing.includes('\u202e')).toBe(false);
  expect(drawing).toMatch(
    /aria-labelledby="scale-title scale-desc".*<title id="scale-title">The story of held-order\.test to scale</s,
  );
});

test('the page of the order has it as a second view, with a link to the file', async () => {
  const at = await sandbox();
  const { public_id: id } = await orderFor(at);
  const pageOf = async (query: string) =>
    (await at.fetch(`/_sandbox/dashboard/orders/${id}${query}`)).text();
  expect((await pageOf('')).includes(`/_sandbox/dashboard/orders/${id}?view=scale`)).toBe(true);
  const page = await pageOf('?view=scale');
  expect(page.includes(`href="/_sandbox/orders/${id}/story.svg"`)).toBe(true);
  expect(page.includes('<svg class="to-scale" role="img"')).toBe(true);
  expect(page.includes('<style>')).toBe(false);
});

test('orders show --svg writes the file', async () => {
  const at = await sandbox();
  const { public_id: id } = await orderFor(at);
  const cwd = stateFolder();
  const { code, stdout } = await commandLine(at, { cwd })(`orders show ${id} --svg story.svg`);
  expect([code, stdout]).toEqual([0, 'Wrote story.svg\n']);
  expect(fs.readFileSync(path.join(cwd, 'story.svg'), 'utf8')).toBe(await drawingOf(at, id));
});
