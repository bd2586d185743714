import type { InProcessSandbox } from '../../../src/index.ts';

/** Calls every endpoint of the tool. */
export async function runScenario({ control }: InProcessSandbox): Promise<void> {
  const { orders } = await control.get<{ orders: { public_id: string }[] }>('/orders');
  await control.get(`/orders/${orders[0]?.public_id}/story`);
}
