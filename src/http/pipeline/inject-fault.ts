import {
  type InjectedFault,
  MAGIC_FAULTS,
  type RequestEffect,
} from '../../faults/fault-effects.ts';
import { type FaultHit, matchFault } from '../../faults/match-fault.ts';
import { normalizeDomain } from '../../kernel/addresses.ts';
import { CodedError } from '../../kernel/errors.ts';
import { type MagicDomain, magicOf } from '../../market/inventory/magic-domains.ts';
import type { Environment } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import type { ApiResponse } from '../response.ts';
import type { RequestContext } from './context.ts';

/** What an effect does at each point of a request. */
interface Injection<Value> {
  /** Real ms to wait before the request is handled, outside any transaction. */
  delayMs?(value: Value, effect: RequestEffect): number;
  /** Responds, or throws, instead of handling the request. */
  respond?(value: Value, fault: InjectedFault): ApiResponse | undefined;
  /** Changes or delays the response, after the commit. */
  send?(value: Value, response: ApiResponse, sending: Sending): ApiResponse | Promise<ApiResponse>;
}

interface Sending {
  effect: RequestEffect;
  /** Waits in real time, until the server closes at most. */
  sleep(ms: number): Promise<void>;
}

type Injections = {
  readonly [Name in keyof RequestEffect]-?: Injection<NonNullable<RequestEffect[Name]>>;
};

/** Every request effect. If a fault has several, they act in this order. */
const INJECTIONS: Injections = {
  delay_ms: { delayMs: (ms, { delay }) => (delay === 'after' ? 0 : ms) },
  delay: {
    async send(when, response, { effect, sleep }) {
      if (when === 'after') await sleep(effect.delay_ms ?? 0);
      return response;
    },
  },
  drop: {
    respond: (when) => (when === 'before' ? CLOSED : undefined),
    send: (_when, response) => ({ ...response, closed: true }),
  },
  code: {
    respond(_code, { error }) {
      throw error;
    },
  },
  // Sent with the error of `code`, which a fault with a status always has.
  status: {},
  truncate: { send: (bytes, response) => ({ ...response, truncateAt: bytes }) },
};

const CLOSED: ApiResponse = { status: 500, body: '', closed: true };

/** Retry-After of an injected rate_limited. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Finds what to inject into a request that has passed the access checks and the rate limit: the fault that it triggers,
 * which counts a hit, and the faults of the magic domains that it names. The triggered fault takes precedence.
 */
export function matchFaults(context: RequestContext, tx: Tx): undefined {
  const { credential, endpoint, trace } = context;
  const params = paramsOf(context);
  const domains = namedDomains(context);
  const magic = findMagic(credential.environment, domains);
  const target = { endpoint, params, domains, keyId: credential.keyId };
  const { hit, isCounted } = matchFault(tx, target);
  context.isCounted = isCounted;
  if (magic.length === 0 && !hit) return;
  const error = hit && errorOf(hit);
  const behaviors = new Set(magic.map(({ behavior }) => behavior));
  const traceMagic = () =>
    magic.length > 0 && trace.check('magic_domain', { behaviors: [...behaviors] });
  // The last check of a trace is the one that failed, so the rejecting one is added last.
  if (error) traceMagic();
  if (hit) trace.check('fault', { fault_id: hit.fault_id, ...hit.effect });
  if (!error) traceMagic();
  const faults = magic.flatMap(({ behavior }) => MAGIC_FAULTS[behavior] ?? []);
  if (faults.length === 0 && !hit) return;
  const fault: InjectedFault = {
    effect: Object.assign({}, ...faults.map(({ effect }) => effect), hit?.effect),
    error: error ?? faults.findLast((magicFault) => magicFault.error)?.error,
  };
  context.fault = fault;
}

function paramsOf({ input: { params } }: RequestContext): Readonly<Record<string, string>> {
  return params instanceof CodedError ? {} : params;
}

function namedDomains(context: RequestContext): string[] {
  const { query, body } = context.input;
  const names: unknown[] = [
    paramsOf(context).name,
    body instanceof CodedError ? undefined : body.domain,
  ];
  for (const [name, value] of query) if (name === 'domain' || name === 'q') names.push(value);
  return names.filter((name) => typeof name === 'string');
}

function errorOf({ fault_id, effect: { code, status } }: FaultHit<RequestEffect>) {
  if (code === undefined) return undefined;
  return new CodedError(code, `${code} injected by fault ${fault_id}`, {
    ...(status !== undefined && { status }),
    ...(code === 'rate_limited' && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
  });
}

/** Returns the magic domains among names. */
function findMagic(environment: Environment, names: readonly string[]): MagicDomain[] {
  return names.flatMap((name) => magicOf(environment, normalizeDomain(name) ?? '') ?? []);
}

/** Returns the real time to wait before the request is handled, in ms. */
export function delayBefore(fault: InjectedFault | undefined): number {
  if (!fault) return 0;
  const { effect } = fault;
  return injectionsOf(effect).reduce(
    (ms, [{ delayMs }, value]) => ms + (delayMs?.(value, effect) ?? 0),
    0,
  );
}

/** Returns the response that replaces that of the handler, if any. @throws the injected error */
export function injectError({ fault }: RequestContext): ApiResponse | undefined {
  if (!fault) return undefined;
  for (const [{ respond }, value] of injectionsOf(fault.effect)) {
    const response = respond?.(value, fault);
    if (response) return response;
  }
  return undefined;
}

export async function injectConnectionFault(
  { effect }: InjectedFault,
  response: ApiResponse,
  sleep: Sending['sleep'],
): Promise<ApiResponse> {
  let result = response;
  for (const [{ send }, value] of injectionsOf(effect)) {
    if (send) result = await send(value, result, { effect, sleep });
  }
  return result;
}

function injectionsOf(effect: RequestEffect): [injection: Injection<never>, value: never][] {
  const values: Readonly<Record<string, unknown>> = effect;
  return Object.entries<Injection<never>>(INJECTIONS).flatMap(([name, injection]) =>
    values[name] === undefined ? [] : [[injection, values[name] as never] as const],
  );
}
