import type { Check } from '../../requests/trace.ts';
import type { Tx } from '../../store/transaction.ts';
import type { ApiResponse } from '../response.ts';
import {
  checkAffiliate,
  checkApproval,
  checkScope,
  checkSigningHeaders,
  checkTimestamp,
  enforceRateLimit,
  identifyCredential,
  useNonce,
  verifySignature,
} from './access.ts';
import type { RequestContext } from './context.ts';
import {
  handle,
  matchRoute,
  parseInput,
  readBody,
  replayStoredResponse,
  storeResponse,
  validateInput,
} from './handle.ts';
import { injectError, matchFaults } from './inject-fault.ts';

/** A step reads and adds to the context; it may return a response to stop, or throw a CodedError to reject. */
export interface Step<Result = ApiResponse | undefined> {
  /** Its entry in the decision trace; absent if the step checks nothing, or writes its own entries. */
  check?: Check;
  /** Whether the step is part of this request; always if absent. */
  applies?(context: RequestContext): boolean;
  run(context: RequestContext, tx: Tx): Result;
}

interface ReceiveStep {
  check: Check;
  run(context: RequestContext): Promise<void> | undefined;
}

const isIdempotent = ({ endpoint }: RequestContext) => endpoint.idempotent === true;

/*
 * The order of checks of a partner API request. The decision trace, the documents and
 * test/api/order-of-checks.test.ts read these lists.
 */

/** Before the transaction. A request that is rejected here changes nothing; its nonce can be used again. */
export const RECEIVE: readonly ReceiveStep[] = [
  { check: 'body', run: readBody },
  { check: 'headers', run: checkSigningHeaders },
  { check: 'timestamp', run: checkTimestamp },
  { check: 'key', run: identifyCredential },
  { check: 'signature', run: verifySignature },
];

/**
 * In the first transaction. What these steps use up is kept even if a later step rejects the request. `matchFaults` is
 * last: a rejection by a step after it, in this list, would undo its count.
 */
export const ADMIT: readonly Step<undefined>[] = [
  { check: 'nonce', run: useNonce },
  { check: 'route', run: matchRoute },
  { check: 'scope', run: checkScope },
  {
    check: 'affiliate',
    applies: ({ endpoint }) => endpoint.requiresAffiliate === true,
    run: checkAffiliate,
  },
  {
    check: 'approval',
    applies: ({ credential }) => credential.environment === 'LIVE',
    run: checkApproval,
  },
  { check: 'rate_limit', run: enforceRateLimit },
  { run: parseInput },
  { run: matchFaults },
];

/** In the same transaction, or in a second one after an injected delay. If one rejects, what they wrote is undone. */
export const RESPOND: readonly Step[] = [
  { run: injectError },
  { check: 'idempotency', applies: isIdempotent, run: replayStoredResponse },
  { check: 'validation', run: validateInput },
  { check: 'rules', run: handle },
  { applies: isIdempotent, run: storeResponse },
];
