import type { EventType } from '../../events/event-types.ts';
import { isoTime } from '../../kernel/time.ts';
import { type Check, groupOf, type Source, type Subject } from './check.ts';

interface SourceOptions {
  secret: string;
  baseType: EventType;
  /** Follows `evt_` and `ord_` in every id. */
  tag: string;
  /** Orders that the receiver knows, from `--data`. */
  known?: readonly Subject[];
  /** Time of the base delivery, Unix ms. */
  now(): number;
}

/** Issues ids and orders, check by check. */
export class DeliverySource implements Source {
  readonly secret: string;
  readonly baseType: EventType;
  repeated: Source['repeated'];
  readonly #options: SourceOptions;
  #events = 0;
  #orders = 0;
  #knownUsed = 0;
  #current: Check | undefined;
  #subject: Subject | undefined;
  #shared: Subject | undefined;
  #ranOut = false;
  #now = 0;

  constructor(options: SourceOptions) {
    this.#options = options;
    this.secret = options.secret;
    this.baseType = options.baseType;
  }

  /**
   * Builds the deliveries of a check.
   * @param alone a `sig.*` check that does not share its order with the others
   */
  build(check: Check, { alone = false } = {}) {
    const isSig = groupOf(check.id) === 'sig' && !alone;
    this.#begin(check, isSig ? this.#shared : undefined);
    const deliveries = check.build(this);
    if (isSig) this.#shared = this.#subject;
    return deliveries;
  }

  /** Builds a delivery that belongs to no check. @param watched if its effect is looked at */
  buildFor<Made>(watched: boolean, make: (source: Source) => Made): Made {
    this.#begin(undefined, undefined, watched);
    return make(this);
  }

  /** Whether the last build needed a known order that `--data` did not have. */
  get ranOut(): boolean {
    return this.#ranOut;
  }

  subject(): Subject {
    this.#subject ??= this.#next();
    return this.#subject;
  }

  anotherSubject(): Subject {
    return this.#next();
  }

  unknownSubject(): Subject {
    return baseSubject(this.#orderId());
  }

  eventId(): string {
    this.#events += 1;
    return `evt_${this.#options.tag}${fourDigits(this.#events)}`;
  }

  time(offsetMs = 0): string {
    return isoTime(this.#now + offsetMs);
  }

  #watched = false;

  #begin(check: Check | undefined, subject: Subject | undefined, watched = false): void {
    this.#current = check;
    this.#subject = subject;
    // An order that was shared because the known ones had run out can never be watched.
    this.#ranOut = subject !== undefined && this.#ranOut;
    this.#watched = watched || (this.#current?.expected.effect ?? null) !== null;
    this.#now = this.#options.now();
  }

  #next(): Subject {
    const { known } = this.#options;
    const first = known?.[0];
    if (known === undefined || first === undefined) return baseSubject(this.#orderId());
    if (!this.#watched) return first;
    const next = known[this.#knownUsed];
    this.#knownUsed += 1;
    if (next === undefined) this.#ranOut = true;
    return next ?? first;
  }

  #orderId(): string {
    this.#orders += 1;
    return `ord_${this.#options.tag}${fourDigits(this.#orders)}`;
  }
}

function baseSubject(id: string): Subject {
  return {
    public_id: id,
    domain: 'harbor-lamp.example',
    status: 'EXTERNALLY_PAID',
    sale_price_cents: 125_000,
    currency: 'USD',
  };
}

function fourDigits(count: number): string {
  return String(count).padStart(4, '0');
}
