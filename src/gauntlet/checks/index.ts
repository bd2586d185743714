import type { EventType } from '../../events/event-types.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { type Check, groupOf } from '../check.ts';
import { GauntletInputError } from '../input-error.ts';
import { BODY } from './body.ts';
import { DATA } from './data.ts';
import { DUP, DUP_LATE } from './dup.ts';
import { ORDER } from './order.ts';
import { RIGHT } from './right.ts';
import { SIG } from './sig.ts';
import { TYPE } from './type.ts';
import { WIRE } from './wire.ts';

/** Every check, in the order in which they run. */
export const CHECKS: readonly Check[] = [
  ...RIGHT,
  ...BODY,
  ...TYPE,
  ...DATA,
  ...WIRE,
  ...SIG,
  ...DUP,
  ...ORDER,
  DUP_LATE,
];

/** Every group, in the order in which they run. */
export const GROUPS = [...new Set(CHECKS.map(({ id }) => groupOf(id)))];

/** A check that needs what another one has sent. */
const DEPENDS_ON: Record<string, string> = { 'dup.late': 'dup.twice' };

/**
 * The checks of a run.
 * @param only ids, or groups as `sig.*`; all checks if empty
 * @throws GauntletInputError for an unknown id
 */
export function selectChecks(baseType: EventType, only: readonly string[]): Check[] {
  const wanted = only.length === 0 ? undefined : new Set(only.flatMap(idsOf));
  for (const id of [...(wanted ?? [])]) {
    const needed = DEPENDS_ON[id];
    if (needed !== undefined) wanted?.add(needed);
  }
  return CHECKS.filter(({ id }) => wanted?.has(id) ?? true).map((check) =>
    check.id === `right.${baseType}`
      ? { ...check, expected: { ...check.expected, effect: 'one' } }
      : check,
  );
}

function idsOf(name: string): string[] {
  const group = /^([a-z]+)(?:\.\*)?$/.exec(name)?.[1];
  const found = CHECKS.filter(({ id }) => id === name || groupOf(id) === group);
  if (found.length > 0) return found.map(({ id }) => id);
  const known = [...CHECKS.map(({ id }) => id), ...GROUPS.map((each) => `${each}.*`)];
  throw new GauntletInputError(`--only: unknown check "${name}".${didYouMean(name, known)}`);
}

/** What a check sends, for people. */
export function describeCheck(id: string): string {
  return CHECKS.find((check) => check.id === id)?.sent ?? '';
}
