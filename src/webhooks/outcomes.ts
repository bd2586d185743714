import type { EventRow } from '../events/events.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Owner } from '../store/schema/partners.ts';
import type { Tx } from '../store/transaction.ts';
import { SAME_INPUT } from '../world/inputs.ts';
import type { World } from '../world/world.ts';
import { clearDelayedFault, hasReordered, releaseReordered } from './delayed.ts';
import { type Attempt, findDelivery, recordAttempt } from './deliveries.ts';

/** An attempt whose outcome is committed. */
export interface FinishedAttempt {
  deliveryId: string;
  event: EventRow;
  /** Whether a fault made its signature invalid. */
  isForged: boolean;
  attempt: Attempt;
}

export type OnAttempt = (attempt: FinishedAttempt) => void;

/** An attempt whose outcome is not committed, and repetitions that a fault injects. */
interface Sent {
  attempts: readonly Attempt[];
  event: EventRow;
  isForged: boolean;
}

/** How many outcomes are written together, and how long the first waits for others. A kill repeats these deliveries. */
const MAX_UNWRITTEN = 32;
const WRITE_AFTER_MS = 10;

/** The outcomes of a queue, written together: a transaction for each costs half as much as a whole order. */
export class Outcomes {
  readonly #world: World;
  readonly #owner: Owner;
  readonly #onAttempt: OnAttempt;
  readonly #runtime: Runtime;
  /** Of which world state the fields below are. */
  #generation: object | undefined;
  /** By delivery. If an outcome cannot be written now, the attempt is not repeated. */
  #uncommitted = new Map<string, Sent>();
  /** Deliveries whose outcome is not written, in the order of their attempts. */
  #unwritten: string[] = [];
  #writing: Promise<void>[] = [];
  #failure: { error: unknown } | undefined;
  #cancelTimer: (() => void) | undefined;
  /** False if no reordered delivery waits for the next outcome: only a fault that this queue injects makes one wait. */
  #mayRelease = true;
  /** How many unwritten outcomes came before a fault delayed a delivery: they do not release it. */
  #before = 0;

  constructor(world: World, owner: Owner, onAttempt: OnAttempt, runtime: Runtime) {
    this.#world = world;
    this.#owner = owner;
    this.#onAttempt = onAttempt;
    this.#runtime = runtime;
  }

  /** Of outcomes that are not committed. */
  get count(): number {
    return this.#uncommitted.size;
  }

  get hasUnwritten(): boolean {
    return this.#unwritten.length > 0;
  }

  has(delivery: string): boolean {
    return this.#uncommitted.has(delivery);
  }

  /** Whether the world was reset or restored. */
  get isGone(): boolean {
    return this.#world.generation !== this.#generation;
  }

  /** Forgets failures, and the outcomes of a world state that is gone. */
  followGeneration(): void {
    this.#failure = undefined;
    if (!this.isGone) return;
    this.#generation = this.#world.generation;
    this.#uncommitted = new Map();
    this.#unwritten = [];
    this.#before = 0;
    this.#mayRelease = true;
  }

  /** Call in the transaction in which a fault delays a delivery. */
  delayed(): void {
    this.#mayRelease = true;
    this.#before = this.#unwritten.length;
  }

  /**
   * Adds the outcome of a delivery; of one that was added before if `sent` is left out.
   * @returns whether it made reordered deliveries due that waited for it, or an outcome could not be written
   */
  add(deliveryId: string, sent?: Sent): boolean {
    if (sent) this.#uncommitted.set(deliveryId, sent);
    return this.#add(deliveryId) || this.#failure !== undefined;
  }

  #add(deliveryId: string): boolean {
    this.#unwritten.push(deliveryId);
    this.#mayRelease &&= this.#world.read((tx) => hasReordered(tx, this.#owner));
    if (this.#mayRelease || this.#unwritten.length >= MAX_UNWRITTEN) return this.#write();
    const { inputs } = this.#world;
    this.#cancelTimer ??=
      inputs.later({ label: 'record', delivery: deliveryId }, () => this.#write()) ??
      this.#runtime.after(WRITE_AFTER_MS, () => {
        this.#world.step({ label: 'record', delivery: deliveryId });
        this.#write();
      });
    return false;
  }

  /** Writes the outcomes so far. @returns whether reordered deliveries are due now */
  #write(): boolean {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const ids = this.#unwritten;
    const releasing = this.#mayRelease ? ids.slice(this.#before) : [];
    this.#unwritten = [];
    this.#before = 0;
    if (ids.length === 0 || this.isGone) return false;
    const uncommitted = this.#uncommitted;
    let released = false;
    const written = this.#world.transactionWithoutSavepoint(SAME_INPUT, (tx) =>
      tx.withoutSavepoint(() => {
        for (const id of ids) {
          const sent = uncommitted.get(id);
          if (sent && record(tx, id, sent, releasing.includes(id))) released = true;
        }
      }),
    );
    const settled = written.then(
      () => {
        for (const id of ids) {
          const sent = uncommitted.get(id);
          uncommitted.delete(id);
          if (!sent) continue;
          const { attempts, event, isForged } = sent;
          for (const attempt of attempts) {
            this.#onAttempt({ deliveryId: id, event, isForged, attempt });
          }
        }
      },
      (error: unknown) => {
        this.#failure ??= { error };
      },
    );
    this.#writing.push(settled);
    return released;
  }

  /** Writes the outcomes and waits for their commit. Rejects if some cannot be written. */
  async committed(): Promise<void> {
    const [first] = this.#unwritten;
    if (first !== undefined) {
      this.#cancelTimer?.();
      const turn = this.#world.step({ label: 'record', delivery: first });
      if (turn) await turn;
    }
    this.#write();
    await Promise.all(this.#writing);
    this.#writing = [];
    if (this.#failure) throw this.#failure.error;
  }
}

/** @returns whether reordered deliveries are due now */
function record(
  tx: Tx,
  id: string,
  { attempts: [first, ...repeats] }: Sent,
  mayRelease: boolean,
): boolean {
  const delivery = findDelivery(tx, id);
  if (!delivery || !first) return false;
  recordAttempt(tx, delivery, first, repeats);
  clearDelayedFault(tx, delivery);
  return mayRelease && releaseReordered(tx, delivery);
}
