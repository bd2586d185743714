import path from 'node:path';
import type { CommandContext } from '../../cli/context.ts';
import type { Formatter } from '../../cli/output.ts';
import { ProgressLine } from '../../cli/progress.ts';
import { shellQuote } from '../../client/curl.ts';
import { countOf } from '../../kernel/count.ts';
import { printable } from '../../kernel/printable.ts';
import { formatDuration } from '../../kernel/time.ts';
import { ORDER_STATUSES } from '../../store/schema/enums.ts';
import { type ExploreOptions, OPTIONS } from './commands.ts';
import { idOf, type SavedFinding } from './findings.ts';
import { byHand, type Fault, nameOf } from './kinds.ts';
import { canHear } from './properties.ts';
import type { NotMeasuredError, Run } from './run.ts';
import type { Finding } from './search.ts';
import { storyOf } from './story.ts';
import type { Point } from './traffic.ts';

type SavedStatus = 'FAILS' | 'FIXED' | 'ERROR';
type ReportedFinding = ReturnType<Reporter['describe']>;

/** Lines of the output of a command that fails. */
const LAST_LINES = 20;

/** Prints what a search finds: for people as it comes, and at the end as one JSON document. */
export class Reporter {
  readonly #call: CommandContext;
  readonly #options: ExploreOptions;
  readonly #workload: readonly string[];
  readonly #progress: ProgressLine;
  readonly #begunMs: number;
  readonly #statuses = new Set<string>();
  /** Whether the test reads orders or receives webhooks. */
  #hears = false;
  #cleanMs = 0;
  readonly #report = {
    format: 1,
    findings: [] as ReportedFinding[],
    saved: [] as { id: string; property: string; status: SavedStatus }[],
    points: [] as string[],
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

  constructor(call: CommandContext, options: ExploreOptions, workload: readonly string[]) {
    this.#call = call;
    this.#options = options;
    this.#workload = workload;
    this.#progress = new ProgressLine(call.io);
    this.#begunMs = call.io.runtime.monotonic();
  }

  /** Whether a fault breaks a property. */
  get hasFindings(): boolean {
    return this.#report.findings.length > 0 || this.#hasSaved('FAILS');
  }

  /** Whether a saved finding could not be tried. */
  get hasErrors(): boolean {
    return this.#hasSaved('ERROR');
  }

  #hasSaved(wanted: SavedStatus): boolean {
    return this.#report.saved.some(({ status }) => status === wanted);
  }

  /** @param notes what is left out, and not judged */
  clean(run: Run, points: readonly Point[], notes: readonly string[]): void {
    this.#cleanMs = run.durationMs;
    this.#see(run);
    this.#report.points = points.map(({ key }) => key);
    this.#report.notes = [...notes];
    const calls = points.filter(({ at }) => at === 'call').length;
    const parts = `${countOf(calls, 'call')}, ${countOf(points.length - calls, 'webhook')}`;
    const all = `${countOf(points.length, 'point')}: ${parts}`;
    for (const line of [`Clean run passed, ${secondsOf(run.durationMs)}. ${all}.`, ...notes])
      this.#print(() => line);
  }

  planned(plan: readonly (readonly Fault[])[]): void {
    const report = this.#report;
    report.planned += plan.length;
    for (const faults of plan) {
      report.plan.push(namesOf(faults));
      for (const { kind } of faults) this.#countsOf(kind.id).planned += 1;
    }
    const faults = countOf(plan.length, plan[0]?.length === 2 ? 'pair' : 'fault');
    this.#print(() => `Plan: ${faults}, about ${formatDuration(plan.length * this.#cleanMs)}.`);
  }

  ran(run: Run): void {
    const report = this.#report;
    const names = namesOf(run.faults);
    report.run += 1;
    this.#see(run);
    for (const { kind } of run.faults) {
      const counts = this.#countsOf(kind.id);
      counts.run += 1;
      if (run.hasActed) counts.acted += 1;
    }
    if (!run.hasPassed) report.workload_failed_under.push(names);
    if (run.unmeasured !== undefined) report.not_measured.push(`${names}: ${run.unmeasured}`);
    if (this.#options.verbose) {
      const workload = run.hasPassed ? 'passes' : 'fails';
      const acted = run.hasActed ? '' : ', did not act';
      const broken = run.broken.map(({ property }) => ` ${property}`).join('');
      const line = `${names}: workload ${workload}${acted}, ${secondsOf(run.durationMs)}${broken}`;
      this.#print(() => line);
    }
    this.#progress.show(() => `${report.run} of ${report.planned} faults  ${names}`);
  }

  #countsOf(kind: string) {
    const counts = this.#report.kinds[kind] ?? { planned: 0, run: 0, acted: 0 };
    this.#report.kinds[kind] = counts;
    return counts;
  }

  #see({ traffic }: Run): void {
    this.#hears ||= canHear(traffic);
    for (const status of traffic.statuses) this.#statuses.add(status);
  }

  found(finding: Finding, file: string): void {
    const reported = this.describe(finding, file);
    this.#report.findings.push(reported);
    const [failed, runs] = finding.rate;
    this.#print((formatter) => formatFinding(reported, failed < runs, formatter));
  }

  /** A finding as it is in the report. */
  describe(finding: Finding, file: string) {
    const { property, sentence, faults, rate } = finding;
    const { io } = this.#call;
    return {
      id: idOf(finding),
      ...{ property, sentence, rate: rate.join(' of ') },
      faults: faults.map(({ kind, point }) => ({
        kind: kind.id,
        point: point.key,
        what: kind.what,
        by_hand: byHand(kind, point, this.#options),
      })),
      story: storyOf(finding),
      run_again: replayCommand(path.relative(io.cwd, file), this.#options, this.#workload),
    };
  }

  saved({ id, property, sentence }: SavedFinding, status: SavedStatus, run: Run): void {
    this.#report.saved.push({ id, property, status });
    const now = run.broken.find((broken) => broken.property === property);
    const error = run.unmeasured ? `--state: ${run.unmeasured}.` : 'Its point is not reached.';
    const why = status === 'ERROR' ? error : (now?.sentence ?? sentence);
    this.#print(({ colors }) => {
      const color = { FAILS: colors.error, FIXED: colors.success, ERROR: colors.warning }[status];
      return `${color(status)} ${property} (${id}): ${printable(why)}`;
    });
  }

  end(isInterrupted: boolean): void {
    this.#progress.end();
    const { out, io } = this.#call;
    const report = this.#report;
    const { list } = this.#options;
    const left = list ? 0 : report.planned - report.run;
    if (isInterrupted) report.not_run = { count: left, why: 'interrupted' };
    else if (left > 0) report.not_run = { count: left, why: 'time' };
    report.duration_ms = Math.round(io.runtime.monotonic() - this.#begunMs);
    report.not_evaluated = this.#notEvaluated();
    report.statuses_not_reached = ORDER_STATUSES.filter((status) => !this.#statuses.has(status));
    out.result(report, (_, { wrapAfter }) =>
      (list ? report.plan : this.#summary()).map((text) => wrapAfter(0, printable(text))),
    );
  }

  #notEvaluated(): string[] {
    const { app, state, check, workloadMustPass } = this.#options;
    return [
      ...(app === undefined ? ['traffic.outdated', 'traffic.not_acknowledged (add --app)'] : []),
      ...(app === undefined && !this.#hears ? ['traffic.unheard (your test only writes)'] : []),
      ...(state === undefined ? ['state.* (add --state)'] : []),
      ...(check === undefined ? ['check'] : []),
      ...(workloadMustPass ? [] : ['workload.passes']),
    ];
  }

  #summary(): string[] {
    const { planned, run, kinds, findings, saved, not_run: left, ...rest } = this.#report;
    const failed = rest.workload_failed_under.length;
    const idle = Object.entries(kinds).filter(([, counts]) => counts.run > counts.acted);
    const fixed = saved.filter(({ status }) => status === 'FIXED').length;
    const ended = saved.length === 0 ? '' : `, ${fixed} of ${saved.length} saved ones fixed`;
    const lines = [
      `${run} of ${countOf(planned, 'fault')}, ${formatDuration(rest.duration_ms)}. ${countOf(findings.length, 'new finding')}${ended}.`,
      left && `${left.count} of ${planned} not run: ${left.why}.`,
      idle.length > 0 && `Did not act in each run: ${idle.map(([kind]) => kind).join(', ')}.`,
      failed > 0 &&
        `Your test failed under ${countOf(failed, 'fault')}, which is not a finding by itself: list them with --verbose.`,
      ...rest.not_measured.map((text) => `Not measured: ${text}.`),
      rest.not_evaluated.length > 0 && `Not evaluated: ${rest.not_evaluated.join(', ')}.`,
      `No run reached: ${rest.statuses_not_reached.join(', ')}.`,
    ];
    return lines.filter((line) => typeof line === 'string');
  }

  notMeasured({ message, output }: NotMeasuredError): void {
    this.#progress.end();
    const { out } = this.#call;
    const lines = output === '' ? [] : output.trimEnd().split('\n').slice(-LAST_LINES);
    out.note(`${out.colors.error('not measured:')} ${printable(message)}`);
    for (const line of lines) out.note(printable(line));
    if (out.json) out.result({ error: { code: 'not_measured', message, output: lines } }, () => '');
  }

  #print(format: (formatter: Formatter) => string): void {
    const { out } = this.#call;
    this.#progress.end();
    if (!out.json && !this.#options.list) out.item({}, (_, formatter) => format(formatter));
  }
}

function formatFinding(
  { property, sentence, rate, faults, story, run_again: runAgain }: ReportedFinding,
  isFlaky: boolean,
  { colors, wrapAfter }: Formatter,
): string {
  const wrapped = (text: string) => wrapAfter(15, text);
  // A command that is broken into lines cannot be pasted.
  const asIs = (text: string) => text;
  const block = (heading: string, texts: readonly string[], shaped = wrapped) =>
    texts.map((text, at) => {
      const begin = colors.dim((at === 0 ? heading : '').padEnd(11));
      return `    ${begin}${shaped(printable(text))}`;
    });
  return [
    `${colors.error('✗')} ${colors.bold(property)}  ${isFlaky ? 'flaky,' : 'fails'} ${rate}`,
    `  ${wrapAfter(2, printable(sentence))}`,
    ...faults.flatMap(({ kind, point, what }) => block('fault', [`${kind} at ${point}`, what])),
    ...block('story', story),
    ...block(
      'by hand',
      faults.toReversed().flatMap(({ by_hand: commands }) => commands),
      asIs,
    ),
    ...block('run again', [runAgain], asIs),
  ].join('\n');
}

function namesOf(faults: readonly Fault[]): string {
  return faults.map(nameOf).join(' and ');
}

function secondsOf(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** Options of the search, which a run of one finding does not have. */
const OF_SEARCH = ['only', 'skip', 'pairs', 'list', 'replay', 'findings', 'verbose', 'maxTime'];

/** The command that runs a saved finding with the same options. */
function replayCommand(file: string, options: ExploreOptions, workload: readonly string[]): string {
  const given = Object.entries(OPTIONS).flatMap(([name, option]) => {
    const value: unknown = options[name as keyof ExploreOptions];
    if (OF_SEARCH.includes(name) || value === option.absent || value === undefined) return [];
    if (value === true) return [option.long];
    return [option.long, shellQuote(name.match(/timeout|settle/i) ? `${value}ms` : String(value))];
  });
  return [
    'sandlot explore --replay',
    shellQuote(file),
    ...given,
    '--',
    ...workload.map(shellQuote),
  ].join(' ');
}
