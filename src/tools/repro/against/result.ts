import type { Answer } from './answer.ts';
import type { AnswerDifference } from './compare-answers.ts';
import type { Outcome } from './run.ts';

/** What `repro replay --against --json` prints. */
export interface AgainstResult {
  result: 'same' | 'differs' | 'nothing';
  compared: { responses: number; fields: number; values: number };
  operations: OperationResult[];
  differences: ({ input: string; operation: string } & AnswerDifference)[];
  /** How long the other sandbox took for each response. */
  durations: { input: string; replayed_ms: number }[];
}

export interface OperationResult {
  operation: string;
  same: number;
  differs: number;
  not_measured: number;
  not_served: number;
  /** Why requests are not measured. */
  reason?: string;
}

const NOT_SERVED = new Set<Answer['status'] | undefined>([404, 405, 501]);

/** Sums up, operation by operation. */
export function resultOf(outcomes: readonly Outcome[]): AgainstResult {
  const result: AgainstResult = {
    result: 'nothing',
    compared: { responses: 0, fields: 0, values: 0 },
    ...{ operations: [], differences: [], durations: [] },
  };
  for (const [operation, all] of Map.groupBy(outcomes, (each) => each.operation)) {
    const measured = all.filter(({ statuses }) => statuses !== undefined);
    const isUnserved =
      measured.length > 0 &&
      measured.every(({ statuses }) => NOT_SERVED.has(statuses?.[1])) &&
      measured.some(({ statuses }) => !NOT_SERVED.has(statuses?.[0]));
    const differing = measured.filter(({ differences }) => differences.length > 0);
    const [reason] = all.flatMap((each) => each.reason ?? []);
    result.operations.push({
      operation,
      same: isUnserved ? 0 : measured.length - differing.length,
      differs: isUnserved ? 0 : differing.length,
      not_measured: all.length - measured.length,
      not_served: isUnserved ? measured.length : 0,
      ...(reason !== undefined && { reason }),
    });
    if (isUnserved) continue;
    for (const { place, differences, fields, values, duration_ms } of measured) {
      result.compared.responses += duration_ms === undefined ? 0 : 1;
      result.compared.fields += fields;
      result.compared.values += values;
      result.differences.push(...differences.map((each) => ({ input: place, operation, ...each })));
      if (duration_ms !== undefined)
        result.durations.push({ input: place, replayed_ms: duration_ms });
    }
  }
  const { compared, differences } = result;
  if (differences.length > 0) result.result = 'differs';
  else if (compared.responses > 0 && compared.fields > 0) result.result = 'same';
  return result;
}
