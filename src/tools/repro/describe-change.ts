import { shortened } from './describe.ts';
import type { ObjectChange } from './state-difference.ts';
import { OBJECT_TYPES } from './world-objects.ts';

/** `status live → used, order_public_id null → ord_1`. */
export function describeFields({ type, change, fields }: ObjectChange): string {
  if (change === 'changed') {
    const all = Object.entries(fields);
    const single = all.filter(([, values]) => values.every((value) => !Array.isArray(value)));
    const shown = (single.length > 0 ? single : all).map(
      ([name, [old, now]]) => `${name} ${valueText(old)} → ${valueText(now)}`,
    );
    return shown.join(', ');
  }
  const names = type === 'clock' ? Object.keys(fields) : OBJECT_TYPES[type].shown;
  const side = change === 'added' ? 1 : 0;
  return names
    .filter((name) => (fields[name]?.[side] ?? null) !== null)
    .map((name) => `${name} ${valueText(fields[name]?.[side])}`)
    .join(', ');
}

/** A value in a line: texts without quotation marks. */
export function valueText(value: unknown): string {
  if (value === undefined) return '(absent)';
  return shortened(typeof value === 'string' ? value : JSON.stringify(value), 80);
}
