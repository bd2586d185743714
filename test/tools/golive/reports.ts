import { applyGate, gateSchema } from '../../../src/tools/golive/gate.ts';
import type { Result } from '../../../src/tools/golive/item.ts';
import { Observations, type WorldEvidence } from '../../../src/tools/golive/observations.ts';
import type { Observed } from '../../../src/tools/golive/read-log.ts';
import { makeReport, type Report } from '../../../src/tools/golive/report.ts';

export const NOW = Date.UTC(2026, 2, 2, 9);

export interface Observation {
  item: string;
  /** `used`: requests of an operation, or webhook attempts. */
  result: Result | 'used';
  evidence: readonly WorldEvidence[];
}

export function observation(
  item: string,
  result: Observation['result'],
  more: Partial<Pick<Observation, 'evidence'>> = {},
): Observation {
  const piece = { kind: 'request', id: 'req_1', world: 'default', at: NOW } as const;
  const evidence = [{ ...piece, text: 'POST /orders → 201' }];
  return { item, result, evidence, ...more };
}

/** The report of these observations. @param gate content of a gate file, gate.json */
export function reportOn(
  list: readonly Observation[],
  gate?: object,
  seen: Partial<Omit<Observed, 'observations'>> = {},
): Report {
  const observations = new Observations();
  for (const { item, result, evidence } of list) {
    if (result === 'used') observations.used.add(item);
    else observations.add(item, result, evidence[0]?.world ?? 'default', evidence);
  }
  const counts = { worlds: ['default'], requests: 3, attempts: 1, dropped: 0, ...seen };
  const report = makeReport({ observations, ...counts }, { now: NOW });
  return gate ? applyGate(report, 'gate.json', gateSchema.parse({ require: [], ...gate })) : report;
}

const asIs = (text: string) => text;
/** Colors of a report that is not on a terminal. */
export const COLORLESS = { bold: asIs, dim: asIs, success: asIs, error: asIs, warning: asIs };
