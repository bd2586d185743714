import type { Fetch } from '../../client/fetch.ts';
import { EVENT_TYPES, type EventType } from '../../events/event-types.ts';
import { isLoopbackName } from '../../kernel/addresses.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { webhookUrlProblem } from '../../webhooks/url-policy.ts';
import type { ProbeFunction } from './probe.ts';

export interface ReceiverTestOptions {
  /** Receiver to test. */
  url: string;
  /** Webhook secret of the receiver. */
  secret: string;
  /** Allows a receiver that is not on this machine. */
  allowRemote?: boolean;
  /** Type of the base delivery; `order.recorded` if left out. */
  event?: EventType;
  /** `data.order` objects that the receiver knows. */
  data?: readonly Record<string, unknown>[];
  /** Ids of checks, or groups as `sig.*`; all checks if left out. */
  only?: readonly string[];
  /** Shell command that prints the effects so far, or a function that returns them. */
  probe?: string | ProbeFunction;
  /** How long an effect may take, in ms; 2,000 if left out. */
  settleMs?: number;
  /** Adds the checks with real orders in a running sandbox. */
  sale?: SaleOptions;
  /** Folder in which commands run. */
  cwd?: string;
  /** Ends the run; the promise then rejects with the reason of the signal. */
  signal?: AbortSignal;
  /** Called with what a person should know before the results. */
  onNote?: (text: string) => void;
  runtime?: Runtime;
}

/** @throws ReceiverTestInputError that names the option */
export function requireTarget({ url, allowRemote = false }: ReceiverTestOptions): URL {
  if (url === '') throw new ReceiverTestInputError('--url: missing; pass the URL of your receiver');
  const problem = webhookUrlProblem(url);
  if (problem !== undefined) throw new ReceiverTestInputError(`--url: ${problem}`);
  const target = new URL(url);
  if (allowRemote || isLoopbackName(target.hostname)) return target;
  throw new ReceiverTestInputError(
    `--url: ${target.hostname} is not this machine; pass --allow-remote if no one else uses that receiver`,
  );
}

/** @throws ReceiverTestInputError */
export function requireSecret(secret: string): void {
  if (secret !== '') return;
  throw new ReceiverTestInputError('--secret: empty; pass the webhook secret of your receiver');
}

/** @throws ReceiverTestInputError if no check is left */
export function requireChecks(count: number): void {
  if (count > 0) return;
  throw new ReceiverTestInputError('--only: the checks of sale.* need --sale');
}

/** @throws ReceiverTestInputError */
export function requireEventType(type: string): EventType {
  const found = EVENT_TYPES.find((each) => each === type);
  if (found !== undefined) return found;
  throw new ReceiverTestInputError(`--event: expected one of ${EVENT_TYPES.join(', ')}`);
}

/** @throws ReceiverTestInputError unless the value is a list of objects */
export function requireOrders(value: unknown): Record<string, unknown>[] {
  const isObject = (each: unknown): each is Record<string, unknown> =>
    typeof each === 'object' && each !== null && !Array.isArray(each);
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) return value;
  throw new ReceiverTestInputError('--data: expected a JSON array of data.order objects');
}

/** Options or input that a run cannot start with; the message names the option. */
export class ReceiverTestInputError extends Error {
  override readonly name = 'ReceiverTestInputError';
}

export type Action = string | (() => unknown);

/** Options of the checks with real orders in a running sandbox. */
export interface SaleOptions {
  /** Base URL of the sandbox. */
  sandbox: string;
  /** World of the orders; that of the credential if left out. */
  world?: string;
  controlToken?: string;
  /** Key id of a credential of the partner; the default credential if left out. */
  as?: string;
  /** Buys a domain at a price. Without it, orders are placed for you. */
  buy?: string | ((order: { domain: string; priceCents: number }) => unknown);
  /** Reads missed events from GET /events. */
  catchUp?: Action;
  /** Changes the webhook secret. */
  rotate?: Action;
  fetch?: Fetch;
}
