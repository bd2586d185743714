import { EVENT_TYPES, type EventType } from '../../events/event-types.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { type Check, groupOf } from './check.ts';
import { CHECKS, GROUPS } from './checks/index.ts';
import { ReceiverTestInputError, type ReceiverTestOptions } from './options.ts';
import { Source } from './source.ts';

interface Preparation {
  source: Source;
  checks: Check[];
}

/** Selects the checks of a run, and creates the source of their deliveries. @throws ReceiverTestInputError */
export function prepare(
  { secret, event, only = [] }: Pick<ReceiverTestOptions, 'secret' | 'event' | 'only'>,
  ids: { tag: string; now(): number },
): Preparation {
  if (secret === '') {
    throw new ReceiverTestInputError('--secret: empty; pass the webhook secret of your receiver');
  }
  const baseType = requireEventType(event ?? 'order.recorded');
  const selected = new Set(only.flatMap(idsOf));
  if (selected.has('dup.late')) selected.add('dup.twice');
  const checks = CHECKS.filter(({ id }) => only.length === 0 || selected.has(id)).map((check) =>
    check.id === `right.${baseType}`
      ? { ...check, expected: { ...check.expected, effect: 'one' as const } }
      : check,
  );
  return { source: new Source({ secret, baseType, ...ids }), checks };
}

function requireEventType(type: string): EventType {
  const eventType = EVENT_TYPES.find((candidate) => candidate === type);
  if (eventType !== undefined) return eventType;
  throw new ReceiverTestInputError(`--event: expected one of ${EVENT_TYPES.join(', ')}`);
}

/** @param name an id, or a group as `sig.*` */
function idsOf(name: string): string[] {
  const group = /^([a-z]+)(?:\.\*)?$/.exec(name)?.[1];
  const ids = CHECKS.map(({ id }) => id);
  const selected = ids.filter((id) => id === name || groupOf(id) === group);
  if (selected.length > 0) return selected;
  const names = [...ids, ...GROUPS.map((each) => `${each}.*`)];
  throw new ReceiverTestInputError(`--only: unknown check "${name}".${didYouMean(name, names)}`);
}
