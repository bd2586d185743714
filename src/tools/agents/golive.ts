import type { ControlClient, QueryValues } from '../../client/control-client.ts';
import type { GoliveReport } from '../../client/control-endpoints.ts';
import { notFound } from '../../kernel/errors.ts';
import type { Args } from './action.ts';

/** Returns the go-live report without its evidence, and without what does not apply. */
export async function reportGolive(query: Args, control: ControlClient) {
  const report = await control.get<GoliveReport>('/golive', query as QueryValues);
  const { gate, totals, features, items } = report;
  return {
    passed: gate.passed,
    totals,
    features,
    items: items
      .filter(({ status }) => query.status !== undefined || status !== 'not_applicable')
      .map(({ id, level, status, title, count }) => ({ id, level, status, title, count })),
  };
}

/** Returns an item of the report with its evidence. @throws not_found */
export async function showGoliveItem({ id }: Args, control: ControlClient) {
  const { items } = await control.get<GoliveReport>('/golive');
  const item = items.find((each) => each.id === id);
  if (item) return item;
  throw notFound(`id: item "${id}" not found; the report lists the items`);
}
