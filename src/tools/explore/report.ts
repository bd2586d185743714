import type { CommandContext } from '../../cli/context.ts';
import type { Formatter } from '../../cli/output.ts';
import { barOf, ProgressLine } from '../../cli/progress.ts';
import { countOf } from '../../kernel/count.ts';
import { printable } from '../../kernel/printable.ts';
import { formatDuration, SECOND } from '../../kernel/time.ts';
import { ORDER_STATUSES } from '../../store/schema/order-states.ts';
import type { ExploreOptions } from './commands.ts';
import type { SavedFinding, saveFinding } from './findings.ts';
import { type Fault, namesOf } from './kinds.ts';
import { NotMeasuredError, type Run } from './outcomes.ts';
import { canHear } from './properties.ts';
import type { Point } from './traffic.ts';

type SavedStatus = 'FAILS' | 'FIXED' | 'ERROR';
type ReportedFinding = ReturnType<typeof saveFinding>;

/** Prints what a search finds: for people as it comes, and at the end as one JSON document. */
export class Reporter {
  readonly #call: CommandContext;
  readonly #options: ExploreOptions;
  readonly #progress: ProgressLine;
  readonly #begunMs: number;
  readonly #statuses = new Set<string>();
  /** Whether the test reads orders or receives webhooks. */
  #hears = false;
  #cleanMs = 0;
  readonly #report = {
    format: 1,
    findings: [] as ReportedFinding[],
    saved: [] as { id: string; property: string; status: SavedStatus; sentence: string }[],
    points: [] as string[],
    /** Saved findings, then faults, then pairs. `planned` and `run` count those that are not saved findings. */
    plan: [] as string[],
    planned: 0,
    run: 0,
    kinds: {} as Record<string, { planned: number; run: number; acted: number }>,
    not_run: null as { count: number; why: string } | null,
    workload_failed_under: [] as string[],
    not_measured: [] as string[],
    notes: [] as string[],
    not_evaluated: [] as string[],
    statuses_not_reached: [] as string[],
    duration_ms: 0,
  };

  constructor(call: CommandContext, options: ExploreOptions) {
    this.#call = call;
    this.#options = options;
    this.#progress = new ProgressLine(call.io);
    this.#begunMs = call.io.runtime.monotonic();
  }

  /** 1 with findings, new or saved; 3 if the search was interrupted, or a saved finding is an ERROR; else 0. */
  get exitCode(): number {
    const { findings, saved, not_run: left } = this.#report;
    const hasSaved = (wanted: SavedStatus) => saved.some(({ status }) => status === wanted);
    if (findings.length > 0 || hasSaved('FAILS')) return 1;
    return left?.why === 'interrupted' || hasSaved('ERROR') ? 3 : 0;
  }

  /** Shows a progress line: the run that begins, and how many have ended. */
  begins(faults: readonly Fault[]): void {
    const { planned, run } = this.#report;
    const counts = planned > 0 ? `${barOf(run / planned)}  ${run} of ${planned}  ` : '';
    this.#progress.show(() => `${counts}${namesOf(faults) || 'Clean run'}`);
  }

  /** Reports the clean runs. @param points of both @param notes what is left out, and not judged */
  clean({ traffic, durationMs }: Run, points: readonly Point[], notes: readonly string[]): void {
    this.#cleanMs = durationMs;
    this.#see(traffic);
    this.#report.points = points.map(({ key }) => key);
    this.#report.notes = [...notes];
    const calls = points.filter(({ call }) => call !== undefined).length;
    const parts = `${countOf(calls, 'call')}, ${countOf(points.length - calls, 'webhook')}`;
    const counts = `${countOf(points.length, 'point')}: ${parts}`;
    this.#say(`Clean run passed, ${secondsOf(durationMs)}. ${counts}.`, ...notes);
  }

  /** Adds to the plan. @param saved findings that run first */
  planned(plan: readonly (readonly Fault[])[], saved: readonly SavedFinding[]): void {
    const report = this.#report;
    for (const { id, faults } of saved) report.plan.push(`${namesOf(faults)} (${id})`);
    report.planned += plan.length;
    report.plan.push(...plan.map(namesOf));
    const { clientTimeout, replay } = this.#options;
    const waits: Record<string, number> = { 'call.late': clientTimeout, 'call.limited': SECOND };
    let ms = plan.length * this.#cleanMs;
    for (const { kind } of plan.flat()) {
      this.#countsOf(kind.id).planned += 1;
      ms += waits[kind.id] ?? 0;
    }
    const faults = countOf(plan.length, plan[0]?.length === 2 ? 'pair' : 'fault');
    if (replay === undefined) this.#say(`Plan: ${faults}, about ${formatDuration(ms)}.`);
  }

  ran({ faults, traffic, hasPassed, hasActed, unmeasured, durationMs, violations }: Run): void {
    const report = this.#report;
    const names = namesOf(faults);
    report.run += 1;
    this.#see(traffic);
    for (const { kind } of faults) {
      const counts = this.#countsOf(kind.id);
      counts.run += 1;
      if (hasActed) counts.acted += 1;
    }
    if (!hasPassed) report.workload_failed_under.push(names);
    if (unmeasured !== undefined) report.not_measured.push(`${names}: ${unmeasured}`);
    if (!this.#options.verbose) return;
    const ended = `${hasPassed ? 'passes' : 'fails'}${hasActed ? '' : ', did not act'}`;
    const properties = violations.map(({ property }) => ` ${property}`).join('');
    this.#say(`${names}: workload ${ended}, ${secondsOf(durationMs)}${properties}`);
  }

  #countsOf(kind: string) {
    this.#report.kinds[kind] ??= { planned: 0, run: 0, acted: 0 };
    return this.#report.kinds[kind];
  }

  #see(traffic: Run['traffic']): void {
    this.#hears ||= canHear(traffic);
    for (const status of traffic.statuses) this.#statuses.add(status);
  }

  /** @param findings what the same faults break */
  found(findings: readonly ReportedFinding[]): void {
    this.#report.findings.push(...findings);
    this.#print((formatter) => formatFindings(findings, formatter));
  }

  /** @param isJudged false if clean runs break the property */
  saved({ id, property, sentence }: SavedFinding, run: Run, isJudged: boolean): void {
    this.#see(run.traffic);
    const now = run.violations.find((violation) => violation.property === property);
    const whyNotEvaluated = this.#notEvaluated().get(property.replace(/^state\..*/, 'state.*'));
    const error =
      (!run.hasActed && 'Its point is not reached.') ||
      (!isJudged && 'Clean runs break it too.') ||
      (whyNotEvaluated && `It is not evaluated: ${whyNotEvaluated}.`) ||
      (run.unmeasured && `--state: ${run.unmeasured}.`);
    const status = now ? 'FAILS' : error ? 'ERROR' : 'FIXED';
    const shown = now?.sentence || error || sentence;
    this.#report.saved.push({ id, property, status, sentence: shown });
    this.#print(({ colors }) => {
      const color = { FAILS: colors.error, FIXED: colors.success, ERROR: colors.warning }[status];
      return `${color(status)} ${property} (${id}): ${printable(shown)}`;
    });
  }

  /** @param failure why the search could not go on */
  end(isInterrupted: boolean, failure?: Error): void {
    this.#progress.end();
    const { out, io } = this.#call;
    const report = this.#report;
    const { list } = this.#options;
    const left = list ? 0 : report.plan.length - report.run - report.saved.length;
    if (isInterrupted) report.not_run = { count: left, why: 'interrupted' };
    else if (left > 0) report.not_run = { count: left, why: failure ? 'not measured' : 'time' };
    report.duration_ms = Math.round(io.runtime.monotonic() - this.#begunMs);
    report.not_evaluated = Array.from(this.#notEvaluated(), ([name, why]) => `${name} (${why})`);
    report.statuses_not_reached = ORDER_STATUSES.filter((status) => !this.#statuses.has(status));
    const output = failure instanceof NotMeasuredError ? failure.lastLines : [];
    const error = failure && { code: 'not_measured', message: failure.message, output };
    if (out.json || !failure || report.run > 0) {
      out.result({ ...report, ...(error && { error }) }, (_, { wrapAfter }) =>
        (list ? report.plan : this.#summary()).map((text) => wrapAfter(0, printable(text))),
      );
    }
    if (!failure) return;
    out.note(`${out.colors.error('not measured:')} ${printable(failure.message)}`);
    for (const line of output) out.note(printable(line));
  }

  /** Returns why properties are not evaluated, by property. */
  #notEvaluated(): Map<string, string> {
    const { app, state, check, workloadMustPass } = this.#options;
    const ofApp = ['traffic.outdated', 'traffic.not_acknowledged', 'process.exited'];
    const reasons = new Map(app ? [] : ofApp.map((property) => [property, 'add --app']));
    if (!app && !this.#hears) reasons.set('traffic.unheard', 'no order is read');
    if (!state) reasons.set('state.*', 'add --state');
    if (!check) reasons.set('check', 'add --check');
    if (!workloadMustPass) reasons.set('workload.passes', 'add --workload-must-pass');
    return reasons;
  }

  #summary(): string[] {
    const { planned, run, kinds, findings, saved, not_run: left, ...rest } = this.#report;
    const failed = rest.workload_failed_under.length;
    const fixed = saved.filter(({ status }) => status === 'FIXED').length;
    const ended = saved.length === 0 ? '' : `, ${fixed} of ${saved.length} saved ones fixed`;
    const took = formatDuration(rest.duration_ms);
    const notRun = left && `${left.count} of ${rest.plan.length} not run: ${left.why}.`;
    if (this.#options.replay !== undefined)
      return [`Replayed in ${took}.`, ...(notRun ? [notRun] : [])];
    return [
      `${run} of ${countOf(planned, 'fault')}, ${took}. ${countOf(findings.length, 'new finding')}${ended}.`,
      notRun,
      ...Object.entries(kinds).map(
        ([kind, counts]) =>
          `  ${kind.padEnd(22)}${counts.run} of ${counts.planned} run, ${counts.acted} acted`,
      ),
      failed > 0 &&
        !this.#options.workloadMustPass &&
        `Your test failed under ${countOf(failed, 'fault')}, which is not a finding by itself: list them with --verbose.`,
      ...rest.not_measured.map((text) => `Not measured: ${text}.`),
      rest.not_evaluated.length > 0 && `Not evaluated: ${rest.not_evaluated.join(', ')}.`,
      rest.statuses_not_reached.length > 0 &&
        `No run reached: ${rest.statuses_not_reached.join(', ')}.`,
    ].filter((line) => typeof line === 'string');
  }

  #say(...lines: string[]): void {
    for (const line of lines) this.#print(() => line);
  }

  #print(format: (formatter: Formatter) => string): void {
    const { out } = this.#call;
    this.#progress.end();
    if (!out.json && !this.#options.list) out.item({}, (_, formatter) => format(formatter));
  }
}

/** Formats findings of the same faults: the first in full, its commands in the order in which explore installs faults. */
function formatFindings(
  [first, ...others]: readonly ReportedFinding[],
  { colors, wrapAfter }: Formatter,
): string {
  if (!first) return '';
  const { property, sentence, rate, flaky, faults, story, run_again: runAgain } = first;
  // A command that is broken into lines cannot be pasted.
  const block = (heading: string, texts: readonly string[], isCommand = false) =>
    texts.map((text, at) => {
      const begin = colors.dim((at === 0 ? heading : '').padEnd(11));
      return `    ${begin}${isCommand ? printable(text) : wrapAfter(15, printable(text))}`;
    });
  const also = others.map((other) => `${other.property}: ${other.sentence}`);
  const commands = faults.toReversed().flatMap(({ by_hand: texts }) => texts);
  return [
    `${colors.error('✗')} ${colors.bold(property)}  ${flaky ? 'flaky,' : 'fails'} ${rate}`,
    `  ${wrapAfter(2, printable(sentence))}`,
    ...block('also', also),
    ...faults.flatMap(({ kind, point, what }) => block('fault', [`${kind} at ${point}`, what])),
    ...block('story', story),
    ...block('by hand', commands, true),
    ...block('run again', [runAgain], true),
  ].join('\n');
}

const secondsOf = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;
