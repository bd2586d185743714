import { normaliseDomain } from '../../kernel/domain-name.ts';
import { CodedError } from '../../kernel/errors.ts';
import { SECOND } from '../../kernel/time.ts';
import { type MagicBehaviour, magicOf } from '../../market/inventory/magic-domains.ts';
import type { Trace } from '../../requests/trace.ts';
import type { Environment } from '../../store/schema/words.ts';

const SLOW_MS = 3 * SECOND;

/**
 * What a magic domain does, at the door, to a call that names it (decisions, "Magic domains").
 * @param names whatever the call may mean as a domain
 * @returns how long, in real ms, the answer is held back
 * @throws rate_limited, internal_error
 */
export function meetMagic(
  environment: Environment,
  names: readonly string[],
  trace: Trace,
): number {
  const met = behavioursOf(environment, names);
  if (met.size > 0) trace.check('magic_domain', { behaviours: [...met] });
  if (met.has('rate_limited')) {
    throw new CodedError('rate_limited', 'rate-limited.test: always limited', {
      retryAfterSeconds: 2,
    });
  }
  if (met.has('server_error')) {
    throw new CodedError('internal_error', 'server-error.test: fails on purpose');
  }
  return met.has('slow') ? SLOW_MS : 0;
}

function behavioursOf(environment: Environment, names: readonly string[]): Set<MagicBehaviour> {
  const met = new Set<MagicBehaviour>();
  for (const name of names) {
    const domain = normaliseDomain(name);
    const magic = domain === undefined ? undefined : magicOf(environment, domain);
    if (magic) met.add(magic.behaviour);
  }
  return met;
}
