import { CodedError, forbidden } from '../../kernel/errors.ts';
import { MINUTE, SECOND } from '../../kernel/time.ts';
import { rateWindows } from '../../store/schema/partners.ts';
import { matching, select, upserter } from '../../store/table.ts';
import type { Tx } from '../../store/transaction.ts';
import type { RequestContext } from './context.ts';

/** @throws forbidden */
export function checkScope(context: RequestContext): undefined {
  const { endpoint, credential, trace } = context;
  if (endpoint.scopes.some((scope) => credential.scopes.includes(scope))) return;
  trace.note({ holds: credential.scopes });
  throw forbidden(
    `this endpoint needs the scope ${endpoint.scopes.join(' or ')}; the credential has ${credential.scopes.join(', ') || 'none'}`,
  );
}

/** @throws forbidden */
export function checkAffiliate({ credential }: RequestContext): undefined {
  if (credential.affiliate) return;
  throw forbidden('this endpoint needs a credential that is linked to an affiliate account');
}

/** @throws forbidden */
export function checkApproval({ credential }: RequestContext): undefined {
  if (credential.approved) return;
  throw forbidden('production access is not approved for this LIVE credential');
}

const WINDOW_MS = MINUTE;

const read = select(rateWindows, { where: [matching(rateWindows, 'keyId', 'rateClass')] });
const write = upserter(rateWindows, ['keyId', 'rateClass']);

/**
 * Admits at most the limit of requests in any 60 s of real time; a rejected request does not count.
 * @throws rate_limited, with the seconds after which a request passes
 */
export function enforceRateLimit(context: RequestContext, tx: Tx): undefined {
  const { api, credential, endpoint, trace } = context;
  const { rateClass } = endpoint;
  const { keyId } = credential;
  const limit = api.rateLimits[rateClass];
  if (limit === undefined) return;
  const stored = read(tx).get({ keyId, rateClass })?.hits ?? [];
  const hits = stored.filter((at) => at > tx.realNow - WINDOW_MS);
  const before = hits.length;
  trace.note({ class: rateClass, limit, before, after: Math.min(before + 1, limit) });
  if (before >= limit) {
    const waitMs = (hits[hits.length - limit] ?? tx.realNow) + WINDOW_MS - tx.realNow;
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / SECOND));
    throw new CodedError(
      'rate_limited',
      `at most ${limit} ${rateClass} requests per minute and credential; wait ${retryAfterSeconds} s`,
      { retryAfterSeconds },
    );
  }
  hits.push(tx.realNow);
  write(tx, { keyId, rateClass, hits });
}

export function resetRateLimits(tx: Tx): void {
  tx.db.delete(rateWindows).run();
}
