import type { InProcessSandbox } from '../../../src/index.ts';

/** Calls every endpoint of the tool. */
export async function runScenario({ control }: InProcessSandbox): Promise<void> {
  const { orders } = await control.get<{ orders: { public_id: string }[] }>('/orders');
  const [a, b] = orders.map(({ public_id }) => public_id);
  await control.get(`/orders/${a}/story`);
  await control.get(`/orders/${a}/diff`, { with: b });
  await (await control.download(`/orders/${a}/story.svg`)).cancel();
}
