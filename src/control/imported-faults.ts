import { isNotNull } from 'drizzle-orm';
import type { Reachable } from '../faults/path-pattern.ts';
import { type FaultInput, validateFault } from '../faults/validate-fault.ts';
import { validationError } from '../kernel/errors.ts';
import type { Store } from '../store/open.ts';
import { deliveries } from '../store/schema/events.ts';
import { faults } from '../store/schema/faults.ts';
import { newFault } from './fault-input.ts';

/** Asserts that the faults of a world from elsewhere could have been added here. @throws validation_error */
export function assertUsableFaults({ db }: Store, endpoints: readonly Reachable[]): void {
  for (const { id, match, effect, webhook, times } of db.select().from(faults).all()) {
    const fault = { match, ...(effect ? { effect } : { webhook }), ...(times && { times }) };
    const problem = problemOf(fault, (input) => validateFault(input, endpoints)?.message);
    if (problem !== undefined) throw unusable('faults', id, problem);
  }
  for (const { id, fault } of db
    .select()
    .from(deliveries)
    .where(isNotNull(deliveries.fault))
    .all()) {
    const problem = problemOf({ match: {}, webhook: fault?.webhook });
    if (problem !== undefined) throw unusable('deliveries', id, problem);
  }
}

function problemOf(
  fault: object,
  validate: (input: FaultInput) => string | undefined = () => undefined,
): string | undefined {
  const { success, data, error } = newFault().safeParse(fault);
  return success ? validate(data) : error.issues[0]?.message;
}

function unusable(table: string, id: string, problem: string) {
  return validationError(
    `file: damaged (an invalid fault in table ${table}, row ${JSON.stringify(id)}: ${problem}); export the world again`,
  );
}
