import type { Fetch } from '../../client/fetch.ts';
import type { EventType } from '../../events/event-types.ts';
import { isLoopbackName } from '../../kernel/addresses.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { webhookUrlProblem } from '../../webhooks/url-policy.ts';

/** The subject of a reading. A command gets it in environment variables `SANDLOT_TEST_…`. */
interface ProbeSubject {
  check: string;
  event: string;
  order: string;
}

/** Returns the effects so far: a count, or any text. */
export type ProbeFunction = (subject: ProbeSubject) => string | number | Promise<string | number>;

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
  /** Called with messages for the user before the results. */
  onNote?: (text: string) => void;
  runtime?: Runtime;
}

/** @throws ReceiverTestInputError */
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

/** Invalid options or input. The message names the option. */
export class ReceiverTestInputError extends Error {
  override readonly name = 'ReceiverTestInputError';
}

/** A shell command of the user, or a function. */
export type Action = string | (() => unknown);

/** Options of the checks with real orders in a running sandbox. */
export interface SaleOptions {
  /** Base URL of the sandbox. */
  sandbox: string;
  /** World of the orders; that of the credential if left out. */
  world?: string | undefined;
  controlToken?: string | undefined;
  /** Key id of a credential of the partner; the default credential if left out. */
  as?: string | undefined;
  /** Buys a domain at a price. Without it, orders are placed for you. */
  buy?: string | ((order: { domain: string; priceCents: number }) => unknown) | undefined;
  /** Reads missed events from GET /events. */
  catchUp?: Action | undefined;
  /** Changes the webhook secret. */
  rotate?: Action | undefined;
  fetch?: Fetch;
}

/** Returns the options of the command that need `--sale`. */
export function saleFlags({ as, buy, catchUp, rotate }: Partial<SaleOptions> = {}) {
  return { '--as': as, '--buy': buy, '--catch-up': catchUp, '--rotate': rotate };
}
