import type { Parse } from '../../declare.ts';
import { duration, oneOf } from '../../values.ts';

const EFFECTS = ['drop', 'duplicate', 'reorder', 'corrupt_signature', 'delay'] as const;

/** One effect on a webhook, as a member of the rule: `drop`, `delay=10m`. */
export const webhookEffect: Parse<[name: string, value: boolean | number]> = (text) => {
  const [, word = text, wait] = /^([^=]*)=(.*)$/.exec(text) ?? [];
  const effect = oneOf(EFFECTS)(word);
  if (effect === 'delay') return ['delay_ms', duration()(wait ?? '')];
  if (wait !== undefined) return [effect, oneOf(['true'])(wait) === 'true'];
  return [effect, true];
};
