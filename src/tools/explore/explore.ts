import path from 'node:path';
import { ENDPOINTS } from '../../api/index.ts';
import { readExecSettings } from '../../cli/commands/server/settings.ts';
import type { CommandContext } from '../../cli/context.ts';
import { ExitWith, UsageError } from '../../cli/errors.ts';
import { readEnvironment } from '../../cli/io.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { App } from './app.ts';
import type { ExploreOptions } from './commands.ts';
import { readFinding, readFindings, type SavedFinding, saveFinding } from './findings.ts';
import { KINDS } from './kinds.ts';
import { Lab } from './lab.ts';
import { Processes } from './processes.ts';
import { baselineOf } from './properties.ts';
import { Reporter } from './report.ts';
import { NotMeasuredError, Runner } from './run.ts';
import { breaks, causeOf, isKindId, planOf, Search } from './search.ts';

const FOLDER = '.sandlot/explore';
const WEBHOOK_SECRET = 'whsec_local';

/** Explores, and ends with the exit code: 1 with findings, 3 if nothing could be measured. @throws UsageError */
export async function explore(
  call: CommandContext,
  options: ExploreOptions,
  workload: string[],
): Promise<void> {
  const { io } = call;
  assertValid(options);
  const folder = path.resolve(io.cwd, options.findings ?? FOLDER);
  const replay = options.replay;
  const saved =
    replay === undefined
      ? readFindings(folder)
      : [readFinding('--replay', path.resolve(io.cwd, replay))];
  const { config, inventory, seed, frozen_at, port } = options;
  const settings = readExecSettings({ config, inventory, seed, frozen_at, port });
  // Its control API is called in process, without a token.
  settings.host = undefined;
  const interruption = io.interruption();
  const lab = await Lab.open(call, settings, options);
  const webhookSecret = readEnvironment(io.env).webhookSecret ?? WEBHOOK_SECRET;
  const env = { ...io.env, ...lab.env, SANDLOT_WEBHOOK_SECRET: webhookSecret };
  const processes = new Processes(env, io);
  const { app: command, ready = '' } = options;
  const app = command === undefined ? undefined : new App({ command, ready, processes, ...io });
  const parts = { workload, options, lab, app, processes, webhookSecret, io, interruption };
  const runner = new Runner(parts);
  const reporter = new Reporter(call, options, workload);
  const search = new Search({
    ...{ runner, options, interruption, runtime: io.runtime },
    events: {
      ran: (run) => reporter.ran(run),
      found: async (finding) => {
        const repro = await lab.exportRepro();
        reporter.found(finding, saveFinding(folder, finding, workload, repro));
      },
    },
  });
  interruption.addEventListener('abort', () => processes.close());
  const work = async () => {
    if (await app?.status()) {
      throw new NotMeasuredError(`Something responds at ${ready} before the app starts.`);
    }
    const points = await cleanRuns(runner, reporter);
    const plan = planOf(points, options);
    if (replay === undefined) reporter.planned(plan.map((fault) => [fault]));
    if (options.list) return;
    const known = replay === undefined ? saved.filter(isOf(workload)) : saved;
    await runSaved(known, { runner, search, reporter });
    if (replay !== undefined) return;
    if (plan.length === 0) throw new NotMeasuredError('There is nothing to explore: no point.');
    const tried = await search.run(plan.map((fault) => [fault]));
    if (!options.pairs || search.isOver) return;
    const pairs = search.pairsOf(tried);
    reporter.planned(pairs);
    await search.run(pairs);
  };
  try {
    await Promise.race([work(), whenAborted(interruption)]);
    reporter.end(interruption.aborted);
  } catch (error) {
    if (!(error instanceof NotMeasuredError)) throw error;
    reporter.notMeasured(error);
    throw new ExitWith(3);
  } finally {
    processes.close();
    await lab.close();
  }
  if (reporter.hasFindings) throw new ExitWith(1);
  if (interruption.aborted || reporter.hasErrors) throw new ExitWith(3);
}

function whenAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve());
  });
}

/** Runs the workload twice without a fault. @returns the points of both runs */
async function cleanRuns(runner: Runner, reporter: Reporter) {
  const first = await runner.runClean();
  runner.baseline = baselineOf(first.traffic);
  const second = await runner.runClean().catch((error: unknown) => {
    if (error instanceof NotMeasuredError) {
      error.message += ' Does the app keep state in memory? Try --restart-app or --reset.';
    }
    throw error;
  });
  for (const { property } of [...first.broken, ...second.broken]) runner.notJudged.add(property);
  const keys = [first, second].map(({ points }) => new Set(points.map(({ key }) => key)));
  const isInBoth = ({ key }: { key: string }) => keys.every((each) => each.has(key));
  const points = first.points.filter(isInBoth);
  reporter.clean(first, points, [
    ...[...first.points, ...second.points]
      .filter((point) => !isInBoth(point))
      .map(({ key }) => `Left out, because only one clean run has it: ${key}.`),
    ...Array.from(runner.notJudged, (id) => `Not judged, because clean runs break it: ${id}.`),
  ]);
  return points;
}

function isOf(workload: readonly string[]): (finding: SavedFinding) => boolean {
  return (finding) => JSON.stringify(finding.workload) === JSON.stringify(workload);
}

/** Runs saved findings: each FAILS again, is FIXED, or is an ERROR because its point is not reached, or the state cannot be read. */
async function runSaved(
  saved: readonly SavedFinding[],
  { runner, search, reporter }: { runner: Runner; search: Search; reporter: Reporter },
): Promise<void> {
  for (const finding of saved) {
    if (search.isOver) return;
    const run = await runner.run(finding.faults);
    const isMeasured = run.hasActed && run.unmeasured === undefined;
    const status = breaks(run, finding.property) ? 'FAILS' : isMeasured ? 'FIXED' : 'ERROR';
    if (status === 'FAILS') search.known.add(causeOf(finding.property, finding.faults));
    reporter.saved(finding, status, run);
  }
}

/** @throws UsageError */
function assertValid(options: ExploreOptions): void {
  const { app, ready, only, skip } = options;
  if ((app === undefined) !== (ready === undefined)) {
    throw new UsageError(
      app === undefined
        ? '--ready: needs --app, the command that starts your app'
        : '--app: needs --ready, the URL that responds with 2xx when your app is ready',
    );
  }
  if (app === undefined && options.restartApp) throw new UsageError('--restart-app: needs --app');
  if (app === undefined && options.catchUp) throw new UsageError('--catch-up: needs --app');
  for (const [option, ids] of [
    ['--only', only],
    ['--skip', skip],
  ] as const) {
    for (const id of ids) assertKnown(option, id ?? '');
  }
}

/** @throws UsageError for an id that no kind, operation, event type or point can have */
function assertKnown(option: string, id: string): void {
  const kinds = KINDS.flatMap((kind) => [kind.id, `${kind.id.split('.')[0]}.*`]);
  const places = [...ENDPOINTS.map(({ name }) => name), ...EVENT_TYPES];
  const [, place = id] = /^([\w.]+)#\d+(?: \S+)?$/.exec(id) ?? [];
  if (kinds.includes(id) || places.includes(place)) return;
  const hint = didYouMean(place, isKindId(id) ? kinds : [...kinds, ...places]);
  throw new UsageError(
    `${option}: unknown id ${id}; pass a kind (call.lost_after, webhook.*), an operation (postOrder), an event type or a point (postOrder#1).${hint}`,
  );
}
