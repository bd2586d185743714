import { base62From, randomSecret } from '../kernel/ids.ts';
import type { Runtime } from '../kernel/runtime.ts';
import type { Store } from '../store/open.ts';
import type { Tx } from '../store/transaction.ts';
import { type Input, type InputHook, NO_HOOK, SETUP, type Step } from './inputs.ts';
import { WorldDatabase } from './world-database.ts';
import { type OpenDatabase, type WorldHooks, WorldTx } from './world-tx.ts';

/**
 * An isolated marketplace: a database, a clock and an id source. Transactions resolve after the group commit of their
 * event-loop tick.
 */
export class World extends WorldDatabase {
  /** One for all transactions: `onWork` is called once per event-loop tick, by its identity. */
  readonly #hooks: WorldHooks;
  #onWork: () => void = () => {};
  #onEvent: () => void = () => {};
  #inputs: InputHook = NO_HOOK;
  #isBusy: () => boolean = () => false;
  readonly #watchers = new Set<() => void>();

  /**
   * @param onOpened called after the file of the world was opened
   * @param randomKeys mints keys from the system's random source instead of the seed
   */
  constructor(
    name: string,
    store: Store,
    runtime: Runtime,
    {
      onOpened = () => {},
      randomKeys = false,
    }: {
      onOpened?: (world: World) => void;
      randomKeys?: boolean | undefined;
    } = {},
  ) {
    super(name, store, runtime, {
      onReopened: () => onOpened(this),
      onReplaced: () => this.#notifyWatchers(),
      onCommitted: () => {
        this.#inputs.committed();
        this.#notifyWatchers();
      },
      onCommitFailed: () => this.#inputs.commitFailed(),
    });
    this.#hooks = {
      onWork: () => this.#onWork(),
      onEvent: () => this.#onEvent(),
      secretFrom: randomKeys ? (_material, length) => randomSecret(length) : base62From,
    };
    onOpened(this);
  }

  /** Sets who is called with every input. */
  followInputs(hook: InputHook): void {
    this.#inputs = hook;
  }

  get inputs(): InputHook {
    return this.#inputs;
  }

  /**
   * Marks that a request uses the world, for the first time or again. Call it before reading what an earlier `await`
   * may have changed. If it returns a promise, wait for it.
   */
  enter(input: Input): Promise<unknown> | undefined {
    return typeof input === 'object' ? this.#inputs.enter(input) : undefined;
  }

  /** Marks a step of background work. If it returns a promise, wait for it. */
  step(step: Step): Promise<string | undefined> | undefined {
    return this.#inputs.step(step);
  }

  /** Whether a transaction is open, or background work is running. */
  get isBusy(): boolean {
    return this.inTransaction || this.#isBusy();
  }

  /** Sets what tells whether background work is running. */
  busyWhile(isBusy: () => boolean): void {
    this.#isBusy = isBusy;
  }

  /**
   * Runs `act` in the transaction of this event-loop tick, without a savepoint: an `act` that may throw after it has
   * written uses `tx.savepoint`, one that throws before uses `tx.optimistic`. Settles after the commit.
   * @param input what the transaction belongs to
   */
  async optimisticTransaction<T>(input: Input, act: (tx: Tx) => T): Promise<T> {
    if (typeof input === 'object') {
      const turn = this.#inputs.enter(input);
      if (turn) await turn;
    } else if (input === SETUP) this.#inputs.setUp();
    const open = this.opened();
    const { commits } = open;
    commits.begin();
    const { committed } = commits;
    try {
      return act(this.#tx(open));
    } finally {
      await committed;
    }
  }

  /** As `optimisticTransaction`; if `act` throws, what it wrote is undone. */
  transaction<T>(input: Input, act: (tx: Tx) => T): Promise<T> {
    return this.optimisticTransaction(input, (tx) => tx.savepoint(() => act(tx)));
  }

  /** Reads immediately, in the open transaction if there is one. `act` must not write. */
  read<T>(act: (tx: Tx) => T): T {
    return this.hold((open) => act(this.#tx(open)));
  }

  /** Sets the listener that is called after a commit that may have made work due. */
  onWork(listener: () => void): void {
    this.#onWork = listener;
  }

  /** Sets the listener that is called after the commit of each event. */
  onEvent(listener: () => void): void {
    this.#onEvent = listener;
  }

  /** Calls `listener` after every commit until the returned function is called. */
  watch(listener: () => void): () => void {
    this.#watchers.add(listener);
    return () => this.#watchers.delete(listener);
  }

  #notifyWatchers(): void {
    for (const listener of this.#watchers) listener();
  }

  #tx(open: OpenDatabase): Tx {
    return new WorldTx(open, this.lasting, this.runtime.now(), this.#hooks);
  }
}
