import { deliveriesOf } from './check.ts';
import type { ReceiverTestOptions } from './options.ts';
import { prepare } from './prepare.ts';
import type { Expected, Level } from './result.ts';

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
