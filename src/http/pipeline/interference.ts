import { type CallFacts, type FaultHit, meetCall } from '../../faults/meet-call.ts';
import { CodedError } from '../../kernel/errors.ts';
import type { Trace } from '../../requests/trace.ts';
import type { Credential } from '../../store/schema/partners.ts';
import type { Drop } from '../../store/schema/words.ts';
import type { Tx } from '../../store/transaction.ts';
import { codedReply, type Reply } from '../reply.ts';
import { meetMagic } from './magic.ts';
import type { Route } from './routes.ts';

/** What keeps a call from its own answer: a fault rule, a magic domain that it names, or both. */
export interface Interference {
  /** How long the answer is held back, real ms. */
  delayMs?: number | undefined;
  /** Given instead of doing anything. */
  refusal?: CodedError | undefined;
  /** The connection is cut, with nothing done or with everything done. */
  drop?: Drop | undefined;
  /** Bytes of the answer's body that arrive. */
  truncateAt?: number | undefined;
}

const NONE: Interference = {};

/** Seconds after which a client that a fault has limited may come again. */
const RETRY_AFTER_SECONDS = 1;

/**
 * What interferes with a call that has passed the checks at the door; the rule that does is counted as hit.
 * What a rule says stands above what a magic domain does.
 * @param domains whatever the call may mean as a domain
 */
export function interfere(
  tx: Tx,
  { keyId, environment }: Credential,
  { endpoint, params }: Route,
  domains: readonly string[],
  trace: Trace,
): Interference {
  const magic = meetMagic(environment, domains);
  const call: CallFacts = { endpoint, params, domains, keyId };
  const hit = meetCall(tx, call);
  if (!magic && !hit) return NONE;
  const fault = hit && interferenceOf(hit);
  const tellMagic = () => magic && trace.check('magic_domain', { behaviours: magic.behaviours });
  // What refuses the call is told last: that check is the one that failed.
  if (fault?.refusal) tellMagic();
  if (hit) trace.check('fault', { fault_id: hit.fault_id, ...hit.effect });
  if (!fault?.refusal) tellMagic();
  return { ...magic?.interference, ...fault };
}

function interferenceOf(fault: FaultHit): Interference {
  const { code, status, delay_ms, drop, truncate } = fault.effect;
  return {
    ...(delay_ms !== undefined && { delayMs: delay_ms }),
    ...(drop !== undefined && { drop }),
    ...(truncate !== undefined && { truncateAt: truncate }),
    ...(code !== undefined && {
      refusal: new CodedError(code, `${fault.fault_id}: this sandbox was asked to answer ${code}`, {
        ...(status !== undefined && { status }),
        ...(code === 'rate_limited' && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
      }),
    }),
  };
}

const CUT: Reply = { status: 500, body: '', lost: true };

/**
 * Answers a call under an interference, its delay excepted.
 * @param trace is told of a refusal that reaches nobody whole
 * @param perform does what was asked, and is not called where nothing is to be done
 * @throws what `perform` throws, where it would reach the client
 */
export function underInterference(
  { refusal, drop, truncateAt }: Interference,
  trace: Trace,
  perform: () => Reply,
): Reply {
  if (drop === 'before') return CUT;
  if (drop === undefined && truncateAt === undefined) {
    if (refusal) throw refusal;
    return perform();
  }
  const reply = replyOf(trace, () => {
    if (refusal) throw refusal;
    return perform();
  });
  return drop === 'after' ? { ...reply, lost: true } : { ...reply, truncateAt };
}

/** A refusal is an answer too, and is cut like any other. */
function replyOf(trace: Trace, perform: () => Reply): Reply {
  try {
    return perform();
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    trace.fail(error);
    return codedReply(error);
  }
}
