import { EVENT_TYPES, type EventType } from '../../events/event-types.ts';
import { isLoopbackName } from '../../kernel/addresses.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { webhookUrlProblem } from '../../webhooks/url-policy.ts';

/** The subject of a reading. A command gets it in environment variables `SANDLOT_TEST_…`. */
export interface ProbeSubject {
  /** Id of the check, or `calibration`. */
  check: string;
  /** Id of the event; empty in the first reading, before any was sent. */
  event: string;
  /** Id of the order or the brokerage case; empty if `event` is. */
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
  /** Ids of checks, or groups as `sig.*`; all checks if left out. */
  only?: readonly string[];
  /** Shell command that prints the effects so far, or a function that returns them; either within 10 s. */
  probe?: string | ProbeFunction;
  /** How long an effect may take, in ms; 2,000 if left out. */
  settleMs?: number;
  /** Folder in which the probe command runs. */
  cwd?: string;
  /** Ends the run; the promise then rejects with the reason of the signal. */
  signal?: AbortSignal;
  runtime?: Runtime;
}

/** Returns the URL to test. @throws ReceiverTestInputError */
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

/** Returns the event type of checks that name none. @throws ReceiverTestInputError */
export function requireEventType({ event = 'order.recorded' }: ReceiverTestOptions): EventType {
  if (EVENT_TYPES.includes(event)) return event;
  throw new ReceiverTestInputError(`--event: expected one of ${EVENT_TYPES.join(', ')}`);
}

/** Invalid options or input. The message names the option. */
export class ReceiverTestInputError extends Error {
  override readonly name = 'ReceiverTestInputError';
}
