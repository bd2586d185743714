import type { EventType } from '../../../events/event-types.ts';
import { didYouMean } from '../../../kernel/did-you-mean.ts';
import { type Check, type CheckInfo, groupOf } from '../check.ts';
import { ReceiverTestInputError } from '../options.ts';
import { SALE, type SaleCheck } from '../sale/checks.ts';
import { BODY } from './body.ts';
import { DUP, DUP_LATE } from './dup.ts';
import { DATA, ORDER, RIGHT, TYPE } from './events.ts';
import { SIG } from './sig.ts';
import { WIRE } from './wire.ts';

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

export const GROUPS = [...new Set(CHECKS.map(({ id }) => groupOf(id)))];

const DEPENDS_ON: Readonly<Record<string, string>> = {
  'dup.late': 'dup.twice',
  ...Object.fromEntries(SALE.flatMap(({ id, needs }) => (needs === null ? [] : [[id, needs]]))),
};

const INFOS: readonly CheckInfo[] = [...CHECKS, ...SALE];

/**
 * The checks of a run that send deliveries of their own.
 * @param only ids, or groups as `sig.*`; all checks if empty
 * @throws ReceiverTestInputError for an unknown id
 */
export function selectChecks(baseType: EventType, only: readonly string[]): Check[] {
  const wanted = wantedIds(only);
  return CHECKS.filter(({ id }) => wanted.has(id)).map((check) =>
    check.id === `right.${baseType}`
      ? { ...check, expected: { ...check.expected, effect: 'one' } }
      : check,
  );
}

/** The checks of a run with real orders. @throws ReceiverTestInputError for an unknown id */
export function selectSaleChecks(only: readonly string[]): SaleCheck[] {
  const wanted = wantedIds(only);
  return SALE.filter(({ id }) => wanted.has(id));
}

function wantedIds(only: readonly string[]): ReadonlySet<string> {
  const wanted = new Set((only.length === 0 ? INFOS : only.flatMap(named)).map(({ id }) => id));
  for (const id of wanted) {
    const needed = DEPENDS_ON[id];
    if (needed !== undefined) wanted.add(needed);
  }
  return wanted;
}

function named(name: string): CheckInfo[] {
  const group = /^([a-z]+)(?:\.\*)?$/.exec(name)?.[1];
  const found = INFOS.filter(({ id }) => id === name || groupOf(id) === group);
  if (found.length > 0) return found;
  const groups = new Set(INFOS.map(({ id }) => `${groupOf(id)}.*`));
  const known = [...INFOS.map(({ id }) => id), ...groups];
  throw new ReceiverTestInputError(`--only: unknown check "${name}".${didYouMean(name, known)}`);
}

export function describeCheck(id: string): string {
  return INFOS.find((check) => check.id === id)?.sent ?? '';
}
