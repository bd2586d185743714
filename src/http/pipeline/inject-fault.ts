import { STATUS_CODES } from 'node:http';
import { type InjectedFault, MAGIC_FAULTS } from '../../faults/fault-effects.ts';
import type { RequestEffect } from '../../faults/fault-fields.ts';
import { type FaultHit, matchFault } from '../../faults/match-fault.ts';
import { normalizeDomain } from '../../kernel/addresses.ts';
import { CodedError } from '../../kernel/errors.ts';
import { resolvesWithin } from '../../kernel/runtime.ts';
import { type MagicDomain, magicOf } from '../../market/inventory/magic-domains.ts';
import { domainsOfNamedObjects } from '../../market/orders/orders.ts';
import type { Environment } from '../../store/schema/enums.ts';
import type { Tx } from '../../store/transaction.ts';
import type { ApiResponse } from '../response.ts';
import type { RequestContext } from './context.ts';

/** Retry-After of an injected rate_limited. */
const RETRY_AFTER_SECONDS = 1;

/**
 * Finds what to inject into a request that has passed the access checks and the rate limit: the fault that it triggers,
 * which counts a hit, and the faults of the magic domains that it names. The triggered fault takes precedence.
 */
export function matchFaults(context: RequestContext, tx: Tx): undefined {
  const { credential, endpoint, trace, input } = context;
  const params: Record<string, string> = input.params instanceof CodedError ? {} : input.params;
  const fields: Record<string, unknown> = input.body instanceof CodedError ? {} : input.body;
  const queried = input.query.filter(([name]) => name === 'domain' || name === 'q');
  // Texts that may be names of domains.
  const candidates = [params.name, fields.domain, ...queried.map(([, value]) => value)].filter(
    (name) => typeof name === 'string',
  );
  const magic = magicDomainsAmong(credential.environment, candidates);
  const { hit, isCounted } = matchFault(tx, {
    endpoint,
    params,
    keyId: credential.keyId,
    domains: () => [...candidates, ...domainsOfNamedObjects(tx, { ...fields, ...params })],
  });
  context.isCountedByFault = isCounted;
  if (magic.length === 0 && !hit) return;
  const error = hit && errorOf(hit);
  const behaviors = new Set(magic.map(({ behavior }) => behavior));
  const traceMagic = () => {
    if (magic.length > 0) trace.check('magic_domain', { behaviors: [...behaviors] });
  };
  // The last check of a trace is the one that failed, so the rejecting one is added last.
  if (error) traceMagic();
  if (hit) trace.check('fault', { fault_id: hit.fault_id, ...hit.effect });
  if (!error) traceMagic();
  const faults = magic.flatMap(({ behavior }) => MAGIC_FAULTS[behavior] ?? []);
  if (faults.length === 0 && !hit) return;
  context.fault = {
    effect: Object.assign({}, ...faults.map(({ effect }) => effect), hit?.effect),
    error: error ?? faults.findLast((magicFault) => magicFault.error)?.error,
  };
}

function errorOf({ fault_id, effect: { code, status } }: FaultHit<RequestEffect>) {
  if (code === undefined) return undefined;
  return new CodedError(code, `${code} injected by fault ${fault_id}`, {
    ...(status !== undefined && { status }),
    ...(code === 'rate_limited' && { retryAfterSeconds: RETRY_AFTER_SECONDS }),
  });
}

function magicDomainsAmong(environment: Environment, names: readonly string[]): MagicDomain[] {
  return names.flatMap((name) => magicOf(environment, normalizeDomain(name) ?? '') ?? []);
}

/** Returns the real time to wait before the request is handled, in ms. */
export function delayBefore({ fault }: RequestContext): number {
  const { delay, delay_ms = 0 } = fault?.effect ?? {};
  return delay === 'before' ? delay_ms : 0;
}

const CLOSED: ApiResponse = { status: 500, body: '', closed: true };

/** Returns the response that replaces that of the handler, if any. @throws the injected error */
export function injectError({ fault }: RequestContext): ApiResponse | undefined {
  const { drop, gateway, gateway_when } = fault?.effect ?? {};
  if (drop === 'before') return CLOSED;
  if (gateway !== undefined && gateway_when === 'before') return gatewayPage(gateway);
  if (fault?.error) throw fault.error;
  return undefined;
}

/** The page that a gateway shows in place of a response of the API. */
function gatewayPage(status: number): ApiResponse {
  const title = `${status} ${STATUS_CODES[status]}`;
  const body = `<html>\n<head><title>${title}</title></head>\n<body><h1>${title}</h1></body>\n</html>\n`;
  return { status, body, contentType: 'text/html' };
}

/**
 * Delays and changes a response, after the commit. A closing server ends the delay. If `injectError` has closed the
 * connection or made the page of a gateway already, doing it again changes nothing.
 */
export async function injectConnectionFault(
  { api: { runtime, closing, delivered }, world }: RequestContext,
  { effect: { delay, delay_ms = 0, drop, gateway, truncate } }: InjectedFault,
  response: ApiResponse,
): Promise<ApiResponse> {
  if (delay === 'after') await runtime.sleep(delay_ms, closing);
  if (delay === 'delivered') {
    // If the outcome of a delivery cannot be written, the request is committed all the same.
    const delivery = delivered(world).catch(() => {});
    await resolvesWithin(delivery, delay_ms, { runtime, signal: closing });
  }
  return {
    ...(gateway === undefined ? response : gatewayPage(gateway)),
    ...(drop !== undefined && { closed: true }),
    ...(truncate !== undefined && { truncateAt: truncate }),
  };
}
