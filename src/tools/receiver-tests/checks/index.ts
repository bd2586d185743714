import { didYouMean } from '../../../kernel/did-you-mean.ts';
import { groupOf, type ReceiverCheck } from '../check.ts';
import { ReceiverTestInputError, type ReceiverTestOptions } from '../options.ts';
import { BODY_CHECKS } from './body.ts';
import { DUPLICATE_CHECKS } from './dup.ts';
import {
  EVENT_DATA_CHECKS,
  EVENT_TYPE_CHECKS,
  SEQUENCE_CHECKS,
  VALID_EVENT_CHECKS,
} from './events.ts';
import { SIGNATURE_CHECKS } from './sig.ts';
import { WIRE_CHECKS } from './wire.ts';

/** In the order in which they run; `dup.late`, which sends the delivery of `dup.twice` again, must be the last. */
export const RECEIVER_CHECKS: readonly ReceiverCheck[] = [
  ...VALID_EVENT_CHECKS,
  ...BODY_CHECKS,
  ...EVENT_TYPE_CHECKS,
  ...EVENT_DATA_CHECKS,
  ...WIRE_CHECKS,
  ...SIGNATURE_CHECKS,
  ...SEQUENCE_CHECKS,
  ...DUPLICATE_CHECKS,
];

/** Selects the checks of a run. @throws ReceiverTestInputError */
export function selectChecks({ only = [] }: ReceiverTestOptions): readonly ReceiverCheck[] {
  if (only.length === 0) return RECEIVER_CHECKS;
  const selected = new Set(only.flatMap(idsOf));
  if (selected.has('dup.late')) selected.add('dup.twice');
  return RECEIVER_CHECKS.filter(({ id }) => selected.has(id));
}

/** @param name an id, or a group as `sig.*` or `sig` */
function idsOf(name: string): string[] {
  const group = name.replace(/\.\*$/, '');
  const ids = RECEIVER_CHECKS.map(({ id }) => id);
  const selected = ids.filter((id) => id === name || groupOf(id) === group);
  if (selected.length > 0) return selected;
  const groups = new Set(ids.map((id) => `${groupOf(id)}.*`));
  throw new ReceiverTestInputError(
    `--only: unknown check "${name}".${didYouMean(name, [...ids, ...groups])} Pass the id of a check from the report, or a group: ${[...groups].join(', ')}.`,
  );
}
