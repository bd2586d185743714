import path from 'node:path';
import { ENDPOINTS } from '../../api/index.ts';
import { readExecSettings } from '../../cli/commands/server/settings.ts';
import type { CommandContext } from '../../cli/context.ts';
import { ExitWith, UsageError } from '../../cli/errors.ts';
import { readEnvironment } from '../../cli/io.ts';
import { ControlApiError } from '../../client/control-client.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { App } from './app.ts';
import { DEFAULTS, type ExploreOptions } from './commands.ts';
import { readFinding, readFindings, type SavedFinding } from './findings.ts';
import { KINDS } from './kinds.ts';
import { NotMeasuredError } from './outcomes.ts';
import { Processes } from './processes.ts';
import { Reporter } from './report.ts';
import { Runner, type Session } from './run.ts';
import { ExploreSandbox } from './sandbox.ts';
import { isKindId, planOf, Search } from './search.ts';
import type { Point } from './traffic.ts';

/** Explores, and ends with the exit code: 1 with findings, 3 if nothing could be measured. @throws UsageError */
export async function explore(
  call: CommandContext,
  given: ExploreOptions,
  words: readonly string[],
): Promise<void> {
  const { io } = call;
  const file = given.replay;
  const replayed =
    file === undefined ? undefined : readFinding('--replay', path.resolve(io.cwd, file));
  const isGiven = ([, value]: [string, unknown]) => value !== undefined && value !== false;
  const inCommand = Object.fromEntries(Object.entries(given).filter(isGiven));
  const options = { ...given, ...DEFAULTS, ...replayed?.options, ...inCommand } as ExploreOptions;
  const workload = words.length > 0 ? words : (replayed?.workload ?? []);
  assertValid(options, workload);
  const ofWorkload = (finding: SavedFinding) =>
    JSON.stringify(finding.workload) === JSON.stringify(workload);
  const saved = replayed
    ? [replayed]
    : readFindings(path.resolve(io.cwd, options.findings)).filter(ofWorkload);
  const settings = readExecSettings(options);
  // Its control API is called in process, without a token.
  settings.host = undefined;
  const interruption = io.interruption();
  const interrupted = new Promise((resolve) => interruption.addEventListener('abort', resolve));
  const sandbox = await ExploreSandbox.open(call, settings, options);
  const webhookSecret = readEnvironment(io.env).webhookSecret ?? 'whsec_local';
  const env = { ...io.env, ...sandbox.env, SANDLOT_WEBHOOK_SECRET: webhookSecret };
  const processes = new Processes(env, io, options.runTimeout);
  const { app: command, ready = '' } = options;
  const app = command === undefined ? undefined : new App({ command, ready, processes, ...io });
  const reporter = new Reporter(call, options);
  const parts = { io, options, workload, sandbox, app, processes, webhookSecret, interruption };
  const session: Session = { ...parts, reporter };
  const runner = new Runner(session);
  const search = new Search(session, runner);
  const work = async () => {
    if (await app?.status()) {
      throw new NotMeasuredError(`Something responds at ${ready} before the app starts.`);
    }
    const points = await cleanRuns(runner, reporter);
    const plan = replayed ? [] : planOf(points, options).map((fault) => [fault]);
    reporter.planned(plan, saved.length);
    const isEmpty = plan.length === 0 && saved.length === 0;
    if (isEmpty) throw new NotMeasuredError('There is nothing to explore: no point.');
    if (options.list) return;
    await search.runSaved(saved);
    if (replayed) return;
    const tried = await search.run(plan);
    if (!options.pairs) return;
    const pairs = search.pairsOf(tried);
    reporter.planned(pairs, 0);
    await search.run(pairs);
  };
  try {
    await Promise.race([work(), interrupted]);
    reporter.end(interruption.aborted);
  } catch (error) {
    if (!(error instanceof NotMeasuredError || error instanceof ControlApiError)) throw error;
    reporter.end(false, error);
    throw new ExitWith(3);
  } finally {
    processes.close();
    await sandbox.close();
  }
  if (reporter.exitCode > 0) throw new ExitWith(reporter.exitCode);
}

/** Runs the workload twice without a fault. @returns the points of both runs */
async function cleanRuns(runner: Runner, reporter: Reporter): Promise<Point[]> {
  const first = await runner.runClean();
  const second = await runner.runClean().catch((error: unknown) => {
    if (error instanceof NotMeasuredError) {
      error.message += ' Does the app keep state in memory? Try --restart-app or --reset.';
    }
    throw error;
  });
  for (const { property } of [...first.violations, ...second.violations])
    runner.notJudged.add(property);
  const keys = [first, second].map(({ traffic }) => traffic.points.map(({ key }) => key));
  const isInBoth = (key: string) => keys.every((each) => each.includes(key));
  const points = first.traffic.points.filter(({ key }) => isInBoth(key));
  reporter.clean(first, points, [
    ...keys
      .flat()
      .filter((key) => !isInBoth(key))
      .map((key) => `Left out, because only one clean run has it: ${key}.`),
    ...Array.from(runner.notJudged, (id) => `Not judged, because clean runs break it: ${id}.`),
  ]);
  return points;
}

/** @throws UsageError */
function assertValid(options: ExploreOptions, workload: readonly string[]): void {
  const { app, ready, restartApp, catchUp, only, skip } = options;
  if (workload.length === 0) {
    throw new UsageError('command: is missing; pass your test after --, or --replay with a file');
  }
  if (app !== undefined && ready === undefined) {
    throw new UsageError(
      '--app: needs --ready, the URL that responds with 2xx when your app is ready',
    );
  }
  const ofApp = { '--ready': ready, '--restart-app': restartApp, '--catch-up': catchUp };
  for (const [option, value] of Object.entries(ofApp)) {
    if (value && app === undefined) {
      throw new UsageError(`${option}: needs --app, the command that starts your app`);
    }
  }
  for (const id of only) assertKnown('--only', id ?? '');
  for (const id of skip) assertKnown('--skip', id ?? '');
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
