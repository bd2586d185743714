import type { ExploreOptions } from './commands.ts';
import { type SavedFinding, saveFinding } from './findings.ts';
import { type Fault, KINDS, type Kind, namesOf } from './kinds.ts';
import { causeOf, type Run } from './outcomes.ts';
import type { Runner, Session } from './run.ts';
import type { Point } from './traffic.ts';

/** How often a run that breaks a property is repeated, itself included. */
const RUNS_OF_FINDING = 3;

/** What is kept of a run of the plan. */
type Tried = Pick<Run, 'faults'> & { points: readonly Point[]; canPair: boolean };

/** Returns every kind at every point: first at the first point of each operation and event type, then at the next. */
export function planOf(points: readonly Point[], options: ExploreOptions): Fault[] {
  const groups = Map.groupBy(points, ({ group }) => group);
  const rounds = Map.groupBy(points, (point) => groups.get(point.group)?.indexOf(point));
  return [...rounds.values()].flatMap((round) =>
    KINDS.flatMap((kind) =>
      round
        .filter((point) => kind.applies(point) && isWanted(kind, point, options))
        .map((point) => ({ kind, point })),
    ),
  );
}

/** The ids of `--only` and `--skip` are those of kinds (`webhook.*`), operations, event types and points. */
function isWanted(kind: Kind, point: Point, { only, skip, app }: ExploreOptions): boolean {
  if (app === undefined && kind.id.startsWith('app.')) return false;
  const names = (id: string) =>
    id === kind.id ||
    (id.endsWith('.*') && kind.id.startsWith(id.slice(0, -1))) ||
    [point.group, `${point.group}#${point.n}`, point.key].includes(id);
  // Ids of kinds narrow what happens, the others where: both must match.
  const [kinds, places] = [only.filter(isKindId), only.filter((id) => !isKindId(id))];
  const isIn = (ids: readonly string[]) => ids.length === 0 || ids.some(names);
  return isIn(kinds) && isIn(places) && !skip.some(names);
}

/** Whether an id, known or not, has the prefix of a kind. No operation or event type has one. */
export function isKindId(id: string): boolean {
  return KINDS.some((kind) => id.startsWith(kind.id.replace(/\..*/, '.')));
}

/** Runs saved findings and a plan, one run after the other. */
export class Search {
  readonly #session: Session;
  readonly #runner: Runner;
  /** Monotonic time at which no further run begins. The clean runs are part of `--max-time`. */
  readonly #deadline: number;
  /** Causes that are findings already, which are not reported again. */
  readonly #known = new Set<string>();

  constructor(session: Session, runner: Runner) {
    this.#session = session;
    this.#runner = runner;
    this.#deadline = session.io.runtime.monotonic() + session.options.maxTime;
  }

  /** Whether the time is over, or the user has interrupted. */
  get #isOver(): boolean {
    const { io, interruption } = this.#session;
    return interruption.aborted || io.runtime.monotonic() >= this.#deadline;
  }

  /** Runs saved findings. Each FAILS, is FIXED, or is an ERROR: its run does not tell. */
  async runSaved(saved: readonly SavedFinding[]): Promise<void> {
    for (const finding of saved) {
      if (this.#isOver) return;
      const { property, faults } = finding;
      const run = await this.#runner.run(faults);
      if (breaks(run, property)) this.#known.add(causeOf(property, faults));
      this.#session.reporter.saved(finding, run, !this.#runner.notJudged.has(property));
    }
  }

  /** Runs each item of a plan, a fault or a pair. @returns the runs, fewer than items if the time is over */
  async run(plan: readonly (readonly Fault[])[]): Promise<Tried[]> {
    const tried: Tried[] = [];
    for (const faults of plan) {
      if (this.#isOver) break;
      const run = await this.#runner.run(faults);
      this.#session.reporter.ran(run);
      await this.#confirm(run);
      const { hasActed, traffic, violations } = run;
      tried.push({ faults, points: traffic.points, canPair: hasActed && violations.length === 0 });
    }
    return tried;
  }

  /** Returns pairs of a fault and one at a later point of its run, without any that did not act or is a finding. */
  pairsOf(tried: readonly Tried[]): Fault[][] {
    const unpaired = tried.filter(({ canPair }) => !canPair);
    const excluded = new Set(unpaired.map(({ faults }) => namesOf(faults)));
    return tried.flatMap(({ faults: [first], points, canPair }) => {
      if (!first || !canPair) return [];
      const at = points.findIndex(({ key }) => key === first.point.key);
      return planOf(points.slice(at + 1), this.#session.options)
        .filter((second) => !excluded.has(namesOf([second])))
        .map((second) => [first, second]);
    });
  }

  /** Repeats the last run of the sandbox, if it broke properties, and reports those that are not findings yet. */
  async #confirm(first: Run): Promise<void> {
    const { sandbox, reporter } = this.#session;
    const { faults, violations } = first;
    const isNew = (property: string) => !this.#known.has(causeOf(property, faults));
    const properties = new Set(violations.map(({ property }) => property).filter(isNew));
    if (properties.size === 0) return;
    const repros = new Map([[first, await sandbox.exportRepro()]]);
    // What one of two faults breaks alone is a finding of that fault, and not of the pair.
    for (const fault of faults.length > 1 ? faults : []) {
      const run = await this.#runner.run([fault]);
      const broken = run.violations.filter(({ property }) => properties.delete(property));
      if (broken.length > 0) await this.#confirm(run);
    }
    while (properties.size > 0 && repros.size < RUNS_OF_FINDING)
      repros.set(await this.#runner.run(faults), await sandbox.exportRepro());
    const findings = [...properties].flatMap((property) => {
      const failed = [...repros.keys()].filter((run) => breaks(run, property));
      const run = failed.at(-1);
      const shown = run?.violations.find(({ property: id }) => id === property);
      if (!run || !shown) return [];
      this.#known.add(causeOf(property, faults));
      const rate = [failed.length, repros.size] as const;
      return saveFinding({ ...shown, faults, run, rate }, this.#session, repros.get(run));
    });
    if (findings.length > 0) reporter.found(findings);
  }
}

function breaks(run: Run, property: string): boolean {
  return run.violations.some(({ property: id }) => id === property);
}
