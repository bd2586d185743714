import type { EventType } from '../../events/event-types.ts';
import { selectChecks } from './checks/index.ts';
import {
  type ReceiverTestOptions,
  requireChecks,
  requireEventType,
  requireOrders,
  requireSecret,
} from './options.ts';
import type { Expected, Level } from './result.ts';
import { DeliverySource } from './source.ts';

/** A check with its deliveries, for unit tests of a receiver. */
interface ExportedCheck {
  id: string;
  level: Level;
  expected: Expected;
  at_once: boolean;
  deliveries: { headers: (readonly [name: string, value: string])[]; body_base64: string }[];
}

const EXPORTED_AT = Date.UTC(2026, 0, 5, 9);
const DEFAULT_EVENT: EventType = 'order.recorded';

/** Builds all deliveries with fixed ids. @throws ReceiverTestInputError */
export function exportDeliveries(
  options: Pick<ReceiverTestOptions, 'secret' | 'event' | 'data' | 'only'>,
): ExportedCheck[] {
  requireSecret(options.secret);
  const baseType = requireEventType(options.event ?? DEFAULT_EVENT);
  const source = new DeliverySource({
    secret: options.secret,
    baseType,
    tag: 'receiver',
    now: () => EXPORTED_AT,
    ...(options.data && { known: requireOrders(options.data) }),
  });
  const checks = selectChecks(baseType, options.only ?? []);
  requireChecks(checks.length);
  return checks.map((check) => ({
    id: check.id,
    level: check.level,
    expected: check.expected,
    at_once: check.procedure === 'at_once',
    deliveries: source.build(check).map(({ headers, body }) => ({
      headers: [...headers],
      body_base64: body.toString('base64'),
    })),
  }));
}
