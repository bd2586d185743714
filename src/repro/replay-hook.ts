import type { RecordedInput } from '../requests/recording.ts';
import {
  type GivenResponse,
  type InputHook,
  NOT_RECORDED,
  type RequestInput,
  type Step,
  type StepLabel,
} from '../world/inputs.ts';

/** Work that waits for its turn. */
interface Gate {
  step: Step;
  /** Of the world when it began to wait. */
  stateVersion: object | undefined;
  /** @param taken the delivery of the step, or ''; undefined turns the work away, so that it looks again */
  open(taken: string | undefined): void;
}

export interface HookOptions {
  /** Real time of the current input. */
  now(): number;
  /** A different object after every reset and restore; undefined before the world is open. */
  stateVersion(): object | undefined;
  /** Whether two deliveries are of the same queue. */
  isSameQueue(one: string, other: string): boolean;
  finished(input: RequestInput, response: GivenResponse | undefined): void;
}

/** Lets a world do one input at a time, in the order of a recording. */
export class ReplayHook implements InputHook {
  readonly isReplay = true;
  /** The number of the current input. */
  number = 0;
  /** Increases with everything that the world does. */
  activity = 0;
  readonly #options: HookOptions;
  /** Steps that are to come, by label and request or delivery. */
  readonly #ahead = new Map<string, number>();
  /** Requests with a response: they go on, also without a step of an edited file. Others had not gone on at the end. */
  readonly #answered = new Set<number>();
  #gates: Gate[] = [];
  #entered: RequestInput | undefined;
  #isOver = false;

  constructor(inputs: readonly RecordedInput[], options: HookOptions) {
    this.#options = options;
    for (const input of inputs) {
      if (input.kind === 'step') this.#count(input.label, input.of ?? input.delivery, 1);
      else if (input.response !== null) this.#answered.add(input.n);
    }
  }

  /** Expects a request to enter as this number. */
  begin(n: number): void {
    this.number = n;
    this.#entered = undefined;
  }

  /** Whether the request that was expected has entered. */
  get hasEntered(): boolean {
    return this.#entered !== undefined;
  }

  /** Begins a step, and opens its gate. @returns whether anything waited for it */
  take(n: number, step: Step): boolean {
    const { label, of, delivery } = step;
    const gate = this.#gates.find((each) => !this.#isGone(each) && this.#isFor(each.step, step));
    if (!gate) return false;
    this.number = n;
    this.#count(label, of ?? delivery, -1);
    this.#remove(gate);
    gate.open(delivery ?? '');
    return true;
  }

  /** Makes waiting background work look again for work. */
  turnAway(): void {
    for (const gate of [...this.#gates]) {
      const { label, delivery } = gate.step;
      const isStale =
        label === 'moves' ||
        label === 'attempt' ||
        (label === 'send' && (this.#isGone(gate) || this.#countOf('send', delivery) === 0));
      if (!isStale) continue;
      this.#remove(gate);
      gate.open(undefined);
    }
  }

  /** Releases everything that still waits. */
  end(): void {
    this.#isOver = true;
    for (const gate of this.#gates.splice(0)) gate.open(undefined);
  }

  /** Returns the waiting steps, for a report. */
  get waiting(): Step[] {
    return this.#gates.map(({ step }) => step);
  }

  enter(input: RequestInput): Promise<unknown> | undefined {
    this.activity += 1;
    if (input.number === NOT_RECORDED) return undefined;
    if (input.enteredAt === 0) {
      input.enteredAt = this.#options.now();
      input.number = this.number;
      this.#entered = input;
      return undefined;
    }
    const goesOn =
      this.#answered.has(input.number) && this.#countOf('continue', input.number) === 0;
    return goesOn ? undefined : this.#wait({ label: 'continue', of: input.number });
  }

  step(step: Step): Promise<string | undefined> | undefined {
    this.activity += 1;
    return step.label === 'outcome' ? undefined : this.#wait(step);
  }

  later(step: Step, task: () => void): () => void {
    const gate: Gate = {
      step,
      stateVersion: this.#options.stateVersion(),
      open: (taken) => {
        if (taken !== undefined) task();
      },
    };
    this.#gates.push(gate);
    return () => this.#remove(gate);
  }

  finish(input: RequestInput, response: GivenResponse | undefined): void {
    if (input.enteredAt === 0) this.enter(input);
    this.activity += 1;
    this.#options.finished(input, response);
  }

  committed(): void {
    this.activity += 1;
  }

  setUp(): void {}
  commitFailed(): void {}
  snapshot(): void {}
  unrecordable(): void {}

  #wait(step: Step): Promise<string | undefined> | undefined {
    if (this.#isOver) return Promise.resolve(undefined);
    return new Promise((open) => {
      this.#gates.push({ step, stateVersion: this.#options.stateVersion(), open });
    });
  }

  /** Whether an attempt is of a world state that was reset or restored, after which its id may come again. */
  #isGone({ step: { label }, stateVersion }: Gate): boolean {
    return (
      (label === 'attempt' || label === 'send') && stateVersion !== this.#options.stateVersion()
    );
  }

  #remove(gate: Gate): void {
    this.#gates = this.#gates.filter((each) => each !== gate);
  }

  #isFor(waiting: Step, { label, of, delivery }: Step): boolean {
    if (waiting.label !== label) return false;
    if (label === 'continue') return waiting.of === of;
    if (delivery === undefined || waiting.delivery === undefined) return true;
    if (waiting.delivery === delivery) return true;
    return label !== 'send' && this.#options.isSameQueue(waiting.delivery, delivery);
  }

  #count(label: StepLabel, about: number | string | null | undefined, by: number): void {
    const key = `${label} ${about ?? ''}`;
    this.#ahead.set(key, (this.#ahead.get(key) ?? 0) + by);
  }

  #countOf(label: StepLabel, about: number | string | undefined): number {
    return this.#ahead.get(`${label} ${about ?? ''}`) ?? 0;
  }
}
