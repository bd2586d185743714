import type { Runtime } from '../../kernel/runtime.ts';
import type { ExploreOptions } from './commands.ts';

import { type Fault, KINDS, type Kind, nameOf } from './kinds.ts';
import type { Broken } from './properties.ts';
import type { Run, Runner } from './run.ts';
import type { Point } from './traffic.ts';

/** How often a run that breaks a property is repeated, itself included. */
const RUNS_OF_FINDING = 3;

/** A property that faults break. One for each cause: property, kinds, and operations or event types. */
export interface Finding extends Broken {
  faults: readonly Fault[];
  /** In how many of how many runs the property did not hold. */
  rate: readonly [failed: number, runs: number];
  /** The last run that broke it. */
  run: Run;
}

/** What is kept of a run of the plan. */
interface Tried extends Pick<Run, 'faults' | 'hasActed' | 'points'> {
  isFinding: boolean;
}

export interface SearchEvents {
  /** A run that is not a repetition has ended. */
  ran(run: Run): void;
  /** Called while the world of the finding's last run is still there. */
  found(finding: Finding): Promise<void>;
}

/** Tells the causes of findings apart. */
export function causeOf(property: string, faults: readonly Fault[]): string {
  return [property, ...faults.flatMap(({ kind, point }) => [kind.id, point.group])].join(' ');
}

/** Every kind at every point: first at the first point of each operation and event type, then at the second. */
export function planOf(points: readonly Point[], options: ExploreOptions): Fault[] {
  const rounds: Point[][] = [];
  for (const group of Map.groupBy(points, (point) => point.group).values()) {
    for (const [round, point] of group.entries()) {
      rounds[round] ??= [];
      rounds[round].push(point);
    }
  }
  return rounds.flatMap((round) =>
    KINDS.flatMap((kind) =>
      round
        .filter((point) => kind.applies(point, options) && isWanted(kind, point, options))
        .map((point) => ({ kind, point })),
    ),
  );
}

/** The ids of `--only` and `--skip` are those of kinds (`webhook.*`), operations, event types and points. */
function isWanted(kind: Kind, point: Point, { only, skip }: ExploreOptions): boolean {
  const names = (id: string) =>
    id === kind.id ||
    (id.endsWith('.*') && kind.id.startsWith(id.slice(0, -1))) ||
    [point.group, `${point.group}#${point.n}`, point.key].includes(id);
  // Ids of kinds narrow what happens, the others where: both must match.
  const [kinds, places] = [only.filter(isKindId), only.filter((id) => !isKindId(id))];
  const isIn = (ids: readonly string[]) => ids.length === 0 || ids.some(names);
  return isIn(kinds) && isIn(places) && !skip.some(names);
}

export function isKindId(id: string): boolean {
  return /^(?:call|webhook|app|clock)\./.test(id);
}

interface SearchParts {
  runner: Runner;
  options: ExploreOptions;
  runtime: Runtime;
  interruption: AbortSignal;
  events: SearchEvents;
}

/** Runs a plan, one run after the other. */
export class Search {
  readonly #parts: SearchParts;
  /** Real time at which no further run begins. */
  readonly #deadline: number;
  /** Causes that are findings already. */
  readonly known = new Set<string>();

  constructor(parts: SearchParts) {
    this.#parts = parts;
    this.#deadline = parts.runtime.monotonic() + parts.options.maxTime;
  }

  /** Whether the time is over, or the user has interrupted. */
  get isOver(): boolean {
    const { runtime, interruption } = this.#parts;
    return interruption.aborted || runtime.monotonic() >= this.#deadline;
  }

  /** Runs each item of a plan, a fault or a pair. @returns the runs, of which there are fewer if the time is over */
  async run(plan: readonly (readonly Fault[])[]): Promise<Tried[]> {
    const tried: Tried[] = [];
    for (const faults of plan) {
      if (this.isOver) break;
      tried.push(await this.#try(faults));
    }
    return tried;
  }

  /** Pairs of a fault that acted and one at a later point of its run, in which neither alone is a finding. */
  pairsOf(tried: readonly Tried[]): Fault[][] {
    const { options } = this.#parts;
    const alone = new Set(
      tried
        .filter(({ hasActed, isFinding }) => isFinding || !hasActed)
        .flatMap(({ faults }) => faults.map(nameOf)),
    );
    return tried
      .filter(({ hasActed, isFinding }) => hasActed && !isFinding)
      .flatMap(({ faults: [first], points }) => {
        if (!first) return [];
        const at = points.findIndex(({ key }) => key === first.point.key);
        return planOf(points.slice(at + 1), options)
          .filter((second) => !alone.has(nameOf(second)))
          .map((second) => [first, second]);
      });
  }

  async #try(faults: readonly Fault[]): Promise<Tried> {
    const run = await this.#parts.runner.run(faults);
    this.#parts.events.ran(run);
    const news = run.broken.filter(({ property }) => !this.known.has(causeOf(property, faults)));
    if (news.length > 0) await this.#confirm(faults, run, news);
    const { hasActed, points } = run;
    return { faults, hasActed, points, isFinding: run.broken.length > 0 };
  }

  /** Repeats a run that broke properties, and reports those as findings. */
  async #confirm(faults: readonly Fault[], first: Run, news: readonly Broken[]): Promise<void> {
    const reduced = faults.length > 1 ? await this.#reduce(faults, news) : undefined;
    if (reduced) return this.#confirm(reduced.faults, reduced, reduced.broken);
    const runs = [first];
    while (runs.length < RUNS_OF_FINDING) {
      runs.push(await this.#parts.runner.run(faults));
    }
    for (const property of new Set(news.map((each) => each.property))) {
      const cause = causeOf(property, faults);
      if (this.known.has(cause)) continue;
      this.known.add(cause);
      const failed = runs.filter((run) => breaks(run, property));
      const last = failed.at(-1) ?? first;
      const shown = last.broken.find((broken) => broken.property === property);
      if (!shown) continue;
      const rate = [failed.length, runs.length] as const;
      await this.#parts.events.found({ ...shown, faults, rate, run: last });
    }
  }

  /** @returns a run with one of two faults, if that is enough to break one of the properties */
  async #reduce(faults: readonly Fault[], news: readonly Broken[]): Promise<Run | undefined> {
    for (const fault of faults) {
      const run = await this.#parts.runner.run([fault]);
      if (news.some(({ property }) => breaks(run, property))) return run;
    }
    return undefined;
  }
}

export function breaks(run: Run, property: string): boolean {
  return run.broken.some((broken) => broken.property === property);
}
