import { normaliseDomain } from '../../kernel/domain-name.ts';
import { CodedError } from '../../kernel/errors.ts';
import { SECOND } from '../../kernel/time.ts';
import { type MagicBehaviour, magicOf } from '../../market/inventory/magic-domains.ts';
import type { Environment } from '../../store/schema/words.ts';
import type { Interference } from './interference.ts';

/** What magic domains do, at the door, to a call that names them (decisions, "Magic domains"). */
const AT_THE_DOOR: Partial<Record<MagicBehaviour, Interference>> = {
  slow: { delayMs: 3 * SECOND },
  server_error: {
    refusal: new CodedError('internal_error', 'server-error.test: fails on purpose'),
  },
  rate_limited: {
    refusal: new CodedError('rate_limited', 'rate-limited.test: always limited', {
      retryAfterSeconds: 2,
    }),
  },
};

/** The magic domains that a call names, and what they do to it at the door. */
export interface MetMagic {
  behaviours: readonly MagicBehaviour[];
  interference: Interference;
}

/** @param names whatever the call may mean as a domain */
export function meetMagic(
  environment: Environment,
  names: readonly string[],
): MetMagic | undefined {
  const behaviours = new Set<MagicBehaviour>();
  let interference: Interference = {};
  for (const name of names) {
    const domain = normaliseDomain(name);
    const magic = domain === undefined ? undefined : magicOf(environment, domain);
    if (!magic) continue;
    behaviours.add(magic.behaviour);
    interference = { ...interference, ...AT_THE_DOOR[magic.behaviour] };
  }
  return behaviours.size > 0 ? { behaviours: [...behaviours], interference } : undefined;
}
