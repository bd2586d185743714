import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ENDPOINTS } from '../../api/index.ts';
import { readExecSettings } from '../../cli/commands/server/settings.ts';
import type { CommandContext } from '../../cli/context.ts';
import { CommandFailedError, ExitWith, UsageError } from '../../cli/errors.ts';
import { ControlApiError } from '../../client/control-client.ts';
import { EVENT_TYPES } from '../../events/event-types.ts';
import { didYouMean } from '../../kernel/did-you-mean.ts';
import { webhookUrlProblem } from '../../webhooks/url-policy.ts';
import { App } from './app.ts';
import { DEFAULTS, type ExploreOptions, type PassedOptions } from './commands.ts';
import { readFinding, readFindings, type SavedFinding } from './findings.ts';
import { KINDS } from './kinds.ts';
import { NotMeasuredError } from './outcomes.ts';
import { Processes } from './processes.ts';
import { Reporter } from './report.ts';
import { Runner } from './run.ts';
import { ExploreSandbox } from './sandbox.ts';
import { isKindId, planOf, Search } from './search.ts';
import { NO_DOMAIN, type Point, pointOf } from './traffic.ts';

/** Errors that end a search with exit code 3. `CommandFailedError`: the sandbox cannot start. */
const NOT_MEASURED = [NotMeasuredError, ControlApiError, CommandFailedError];

/** Explores, and ends with the exit code: 1 with findings, 3 if nothing could be measured. @throws UsageError */
export async function explore(
  call: CommandContext,
  input: PassedOptions,
  words: readonly string[],
): Promise<void> {
  const { io } = call;
  const file = input.replay;
  const replayed = file ? readFinding('--replay', path.resolve(io.cwd, file)) : undefined;
  // What is passed wins over the saved finding. The `false` of a flag only says that it is left out.
  const isPassed = ([, value]: [string, unknown]) => value !== undefined && value !== false;
  const passed = Object.fromEntries(Object.entries(input).filter(isPassed));
  const options = { ...input, ...DEFAULTS, ...replayed?.options, ...passed } as ExploreOptions;
  const workload = words.length > 0 ? words : (replayed?.workload ?? []);
  assertValid(options, workload);
  // Its control API is called in process, without a token.
  const { control_token: _, ...settings } = readExecSettings({ ...options, host: '127.0.0.1' });
  const isOfWorkload = (finding: SavedFinding) => isDeepStrictEqual(finding.workload, workload);
  const saved = replayed ? [replayed] : readFindings(options, io.cwd).filter(isOfWorkload);
  const reporter = new Reporter(call, options);
  const exitIfNotMeasured = (error: unknown): never => {
    if (!NOT_MEASURED.some((type) => error instanceof type)) throw error;
    reporter.end(false, error as Error);
    throw new ExitWith(3);
  };
  const interruption = io.interruption();
  const interrupted = new Promise((resolve) => interruption.addEventListener('abort', resolve));
  const sandbox = await ExploreSandbox.open(call, settings, options).catch(exitIfNotMeasured);
  const processes = new Processes({ ...io.env, ...sandbox.env }, io, options.runTimeout);
  const { app: command, ready = '' } = options;
  const app = command === undefined ? undefined : new App({ command, ready, processes, ...io });
  const session = { io, options, workload, sandbox, app, processes, interruption, reporter };
  const runner = new Runner(session);
  const search = new Search(session, runner);
  const work = async () => {
    if (await app?.status())
      throw new NotMeasuredError(`Something responds at ${ready} before the app starts.`);
    const points = await cleanRuns(runner, reporter);
    const plan = replayed ? [] : planOf(points, options).map((fault) => [fault]);
    if (plan.length === 0 && saved.length === 0)
      throw new NotMeasuredError(
        'There is nothing to explore. Does your test use SANDLOT_URL and SANDLOT_KEY_ID, with a client of its own (calls of `sandlot request` are no points) and without a reset, and do --only and --skip leave a fault?',
      );
    reporter.planned(plan, saved);
    if (options.list) return;
    await search.runSaved(saved);
    const tried = await search.run(plan);
    if (!options.pairs) return;
    const pairs = search.pairsOf(tried);
    reporter.planned(pairs, []);
    await search.run(pairs);
  };
  try {
    await Promise.race([work(), interrupted]).catch(exitIfNotMeasured);
    reporter.end(interruption.aborted);
  } finally {
    processes.close();
    await sandbox.close();
  }
  if (reporter.exitCode > 0) throw new ExitWith(reporter.exitCode);
}

/** Runs the workload twice without a fault. @returns the points of both runs */
async function cleanRuns(runner: Runner, reporter: Reporter): Promise<Point[]> {
  const first = await runner.runClean();
  const second = await runner.runClean();
  const keys = [first, second].map(({ traffic }) => traffic.points.map(({ key }) => key));
  const isInBoth = (key: string) => keys.every((runKeys) => runKeys.includes(key));
  const points = first.traffic.points.filter(({ key }) => isInBoth(key));
  const inOne = keys.flat().filter((key) => !isInBoth(key));
  reporter.clean(first, points, [
    ...inOne.map((key) => `Left out, because only one clean run has it: ${key}.`),
    ...Array.from(runner.notJudged, (id) => `Not judged, because clean runs break it: ${id}.`),
  ]);
  return points;
}

/** @throws UsageError */
function assertValid(options: ExploreOptions, workload: readonly string[]): void {
  const { app, ready, restartApp, catchUp, webhookUrl, replay, only, skip, list, pairs } = options;
  const needsApp = app === undefined && 'needs --app, the command that starts your app';
  const selects = list || pairs || only.length + skip.length > 0;
  const needsReady =
    ready === undefined && 'needs --ready, the URL that responds with 2xx when your app is ready';
  const problems = {
    command:
      workload.length === 0 && 'is missing; pass your test after --, or --replay with a file',
    '--app': app !== undefined && needsReady,
    '--ready': ready !== undefined && needsApp,
    '--restart-app': restartApp && needsApp,
    '--catch-up': catchUp !== undefined && needsApp,
    '--webhook-url': webhookUrl !== undefined && webhookUrlProblem(webhookUrl),
    '--replay':
      replay !== undefined && selects && 'cannot be used with --list, --only, --skip or --pairs',
  };
  for (const [option, problem] of Object.entries(problems)) {
    if (problem) throw new UsageError(`${option}: ${problem}`);
  }
  for (const id of only) assertKnown('--only', id);
  for (const id of skip) assertKnown('--skip', id);
}

/** @throws UsageError for an id that no kind, operation, event type or point can have */
function assertKnown(option: string, id: string): void {
  const kinds = KINDS.flatMap((kind) => [kind.id, `${kind.id.split('.')[0]}.*`]);
  const ids = [...kinds, ...ENDPOINTS.map(({ name }) => name), ...EVENT_TYPES];
  if (ids.includes(id) || pointOf(id) || pointOf(`${id} ${NO_DOMAIN}`)) return;
  const [place = ''] = id.split('#');
  const hint = didYouMean(place, isKindId(id) ? kinds : ids);
  throw new UsageError(
    `${option}: unknown id ${id}; pass kinds (call.lost_after, webhook.*), operations (postOrder), event types or points (postOrder#1), separated by spaces.${hint}`,
  );
}
