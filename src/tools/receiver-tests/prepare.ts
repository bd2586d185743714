import { EVENT_TYPES, type EventType } from '../../events/event-types.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { type Check, type CheckInfo, deliveriesOf, groupOf } from './check.ts';
import { CHECKS } from './checks/index.ts';
import { SALE, type SaleCheck } from './end-to-end/checks.ts';
import { ReceiverTestInputError, type ReceiverTestOptions } from './options.ts';
import type { Expected, Level } from './result.ts';
import { Source } from './source.ts';

interface Preparation {
  source: Source;
  /** The selected checks that send deliveries directly. */
  checks: Check[];
  /** The selected checks with real orders. */
  saleChecks: SaleCheck[];
}

/** Selects the checks of a run, and creates the source of their deliveries. @throws ReceiverTestInputError */
export function prepare(
  { secret, data, event, only = [], sale }: Omit<ReceiverTestOptions, 'url'>,
  ids: { tag: string; now(): number },
): Preparation {
  if (secret === '') {
    throw new ReceiverTestInputError('--secret: empty; pass the webhook secret of your receiver');
  }
  const baseType = requireEventType(event ?? 'order.recorded');
  const source = new Source({ secret, baseType, orders: data && requireOrders(data), ...ids });
  const selectedIds = selectIds(only);
  const checks = CHECKS.filter(({ id }) => selectedIds.has(id)).map((check) =>
    check.id === `right.${baseType}`
      ? { ...check, expected: { ...check.expected, effect: 'one' as const } }
      : check,
  );
  const saleChecks = sale ? SALE.filter(({ id }) => selectedIds.has(id)) : [];
  if (checks.length + saleChecks.length > 0) return { source, checks, saleChecks };
  throw new ReceiverTestInputError('--only: the checks of sale.* need --sale');
}

function requireEventType(type: string): EventType {
  const eventType = EVENT_TYPES.find((candidate) => candidate === type);
  if (eventType !== undefined) return eventType;
  throw new ReceiverTestInputError(`--event: expected one of ${EVENT_TYPES.join(', ')}`);
}

/** @throws ReceiverTestInputError unless the value is a list of objects */
export function requireOrders(value: unknown): Record<string, unknown>[] {
  const isObject = (item: unknown): item is Record<string, unknown> =>
    typeof item === 'object' && item !== null && !Array.isArray(item);
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) return value;
  throw new ReceiverTestInputError('--data: expected a JSON array of data.order objects');
}

const CHECK_INFOS: readonly CheckInfo[] = [...CHECKS, ...SALE];

const NEEDS: Readonly<Record<string, string | null>> = {
  'dup.late': 'dup.twice',
  ...Object.fromEntries(SALE.map(({ id, needs }) => [id, needs])),
};

/** @param only ids, or groups as `sig.*`; all checks if empty */
function selectIds(only: readonly string[]): ReadonlySet<string> {
  const ids = new Set(
    (only.length === 0 ? CHECK_INFOS : only.flatMap(checksOf)).map(({ id }) => id),
  );
  for (const id of ids) {
    const requiredId = NEEDS[id];
    if (requiredId) ids.add(requiredId);
  }
  return ids;
}

function checksOf(name: string): CheckInfo[] {
  const group = /^([a-z]+)(?:\.\*)?$/.exec(name)?.[1];
  const checks = CHECK_INFOS.filter(({ id }) => id === name || groupOf(id) === group);
  if (checks.length > 0) return checks;
  const groups = new Set(CHECK_INFOS.map(({ id }) => `${groupOf(id)}.*`));
  const names = [...CHECK_INFOS.map(({ id }) => id), ...groups];
  throw new ReceiverTestInputError(`--only: unknown check "${name}".${didYouMean(name, names)}`);
}

export function describeCheck(id: string): string {
  return CHECK_INFOS.find((check) => check.id === id)?.sent ?? '';
}

/** A check with its deliveries, for unit tests of a receiver. */
interface ExportedCheck {
  id: string;
  level: Level;
  expected: Expected;
  at_once: boolean;
  deliveries: { headers: (readonly [name: string, value: string])[]; body_base64: string }[];
}

const EXPORTED_AT = Date.UTC(2026, 0, 5, 9);

/** Builds all deliveries with fixed ids. @throws ReceiverTestInputError */
export function exportDeliveries(
  options: Pick<ReceiverTestOptions, 'secret' | 'event' | 'data' | 'only'>,
): ExportedCheck[] {
  const { source, checks } = prepare(options, { tag: 'receiver', now: () => EXPORTED_AT });
  return checks.map((check) => ({
    id: check.id,
    level: check.level,
    expected: check.expected,
    at_once: check.procedure === 'at_once',
    deliveries: deliveriesOf(check, source).map(({ headers, body }) => ({
      headers: [...headers],
      body_base64: body.toString('base64'),
    })),
  }));
}
