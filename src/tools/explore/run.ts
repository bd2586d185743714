import type { CommandLineIo } from '../../cli/io.ts';
import { formatDuration } from '../../kernel/time.ts';
import type { App } from './app.ts';
import type { ExploreOptions } from './commands.ts';
import type { Fault } from './kinds.ts';
import { NotMeasuredError, type Run } from './outcomes.ts';
import type { Processes } from './processes.ts';
import { trafficViolations, type Violation, violation } from './properties.ts';
import type { Reporter } from './report.ts';
import type { ExploreSandbox } from './sandbox.ts';
import { readState, stateViolations } from './state.ts';
import type { Traffic } from './traffic.ts';

/** What a search is made of. */
export interface Session {
  io: CommandLineIo;
  options: ExploreOptions;
  workload: readonly string[];
  sandbox: ExploreSandbox;
  app: App | undefined;
  processes: Processes;
  interruption: AbortSignal;
  reporter: Reporter;
}

/** Pause between two evaluations of properties that do not hold yet. */
const EVALUATE_EVERY_MS = 100;

/** Runs the workload with faults and judges each run. */
export class Runner {
  /** What the first clean run recorded. */
  #clean: Traffic | undefined;
  /** `traffic` and `golive` properties that a clean run broke. No run is judged by them. */
  readonly notJudged = new Set<string>();
  /** Monotonic time at which a run stops waiting for calls, webhooks and moves: `--run-timeout` after its workload. */
  #end = 0;
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
    session.sandbox.killApp = () => void session.app?.kill();
  }

  /** Runs the workload without a fault. Others are compared with the first such run. @throws NotMeasuredError */
  async runClean(): Promise<Run> {
    const run = await this.run([]);
    const failed = run.violations.find(({ property }) => /^(?:state|check|process)/.test(property));
    // The first clean run has passed: if a later one fails, the first has left something behind.
    const hint = this.#clean && ' Does the app keep state in memory? Try --restart-app or --reset.';
    const fail = (name: string, text: string) => this.#notMeasured(name, text + (hint ?? ''));
    if (!run.hasPassed) throw fail('workload', 'The workload fails without a fault.');
    if (run.unmeasured) throw fail('state', `--state: ${run.unmeasured}.`);
    if (failed) {
      const { property, sentence } = failed;
      // The command of the property: `state`, `check` or `app`.
      const [name = ''] = property.replace('process', 'app').split('.');
      throw fail(name, `Without a fault, ${property} does not hold: ${sentence}`);
    }
    for (const { property } of run.violations) this.notJudged.add(property);
    this.#clean ??= run.traffic;
    return run;
  }

  /** @param name the name in `processes.run` or `start` of the command whose output is shown */
  #notMeasured(name: string, problem: string): NotMeasuredError {
    const { processes, sandbox } = this.#session;
    return new NotMeasuredError(problem, sandbox.redact(processes.logOf(name)));
  }

  /** Runs the workload with faults, passed in the order of their points. @throws NotMeasuredError if it cannot begin */
  async run(faults: readonly Fault[]): Promise<Run> {
    const { sandbox, app, workload, processes, interruption, io, options } = this.#session;
    const begun = io.runtime.monotonic();
    this.#session.reporter.begins(faults);
    await this.#reset();
    await sandbox.injectFaults(faults);
    const { code } = await processes.run('workload', workload);
    this.#end = io.runtime.monotonic() + options.runTimeout;
    const exits: Violation[] = [];
    const hasActed = app ? await this.#settle(app, faults, exits) : await sandbox.removeFaults();
    const evaluation = await this.#evaluateRun(faults, code);
    // The commands were killed, so the run says nothing. The search has ended: no one sees this error.
    if (interruption.aborted) throw new Error('interrupted');
    return {
      ...evaluation,
      faults,
      hasActed,
      hasPassed: code === 0,
      // A fault that has not acted has broken nothing: an earlier run has left something behind.
      violations: hasActed ? [...exits, ...evaluation.violations] : [],
      output: sandbox.redact(processes.log),
      durationMs: Math.round(io.runtime.monotonic() - begun),
    };
  }

  async #reset(): Promise<void> {
    const { sandbox, app, options, processes } = this.#session;
    if (options.restartApp) await app?.kill();
    processes.beginRun();
    await sandbox.reset();
    if (options.reset !== undefined) {
      const { code } = await processes.run('reset', options.reset);
      if (code !== 0) throw this.#notMeasured('reset', `--reset fails with exit code ${code}.`);
    }
    const problem = await app?.start();
    if (problem) throw this.#notMeasured('app', `The app does not get ready: ${problem}.`);
    const webhook = { url: options.webhookUrl, secret: sandbox.webhookSecret };
    if (webhook.url !== undefined) await sandbox.control.put('/webhooks', webhook);
  }

  /**
   * Runs what is due until nothing is, and removes the faults. @param exits gets the violations of `process.exited`
   * @returns whether the faults have acted @throws NotMeasuredError if a clean run cannot catch up, or has no end
   */
  async #settle(app: App, faults: readonly Fault[], exits: Violation[]): Promise<boolean> {
    const { sandbox, options, processes } = this.#session;
    const report = (sentence: string) => exits.push(violation('process.exited', sentence));
    const restart = async () => {
      if (await app.hasExited()) report('The app ended by itself.');
      const problem = await app.start();
      if (problem !== undefined) report(`The app does not get ready again: ${problem}.`);
    };
    await restart();
    await sandbox.runDueWork(restart, this.#end);
    const hasActed = await sandbox.removeFaults();
    // A receiver that missed all attempts was down: it has only what it has stored.
    if (faults.some(({ kind }) => kind.id === 'webhook.missed')) {
      await app.kill();
      await restart();
    }
    if (options.catchUp !== undefined) {
      const { code } = await processes.run('catch-up', options.catchUp);
      if (code !== 0 && faults.length === 0)
        throw this.#notMeasured('catch-up', `--catch-up fails with exit code ${code}.`);
    }
    const isDone = await sandbox.runDueWork(restart, this.#end);
    const problem = `Webhooks and order moves still come due after ${formatDuration(options.runTimeout)} (--run-timeout).`;
    if (!isDone && faults.length === 0) throw this.#notMeasured('app', problem);
    return hasActed;
  }

  /** Evaluates until all properties hold, the last time once `--settle` is over. @param code the exit code of the workload */
  async #evaluateRun(faults: readonly Fault[], code: number) {
    const { sandbox, options, io } = this.#session;
    const deadline = io.runtime.monotonic() + options.settle;
    for (;;) {
      await sandbox.idle(this.#end);
      const isLast = io.runtime.monotonic() >= deadline;
      const evaluation = await this.#evaluate(faults, code);
      const isFine = evaluation.violations.length === 0 && evaluation.unmeasured === undefined;
      if (isFine || isLast) return evaluation;
      await io.runtime.sleep(EVALUATE_EVERY_MS);
    }
  }

  async #evaluate(faults: readonly Fault[], code: number) {
    const { sandbox, app, options, processes } = this.#session;
    const traffic = sandbox.readTraffic();
    const violations = trafficViolations(traffic, {
      clean: this.#clean ?? traffic,
      hasApp: app !== undefined,
      hasPassed: code === 0,
      clientTimeoutMs: options.clientTimeout,
      faults,
    });
    violations.push(...(await sandbox.contradictions()));
    if (options.workloadMustPass && code !== 0) {
      violations.push(violation('workload.passes', `The workload fails with exit code ${code}.`));
    }
    if (options.check !== undefined) {
      const check = await processes.run('check', options.check);
      const last = sandbox.redact(check.output).trim().split('\n').at(-1) ?? '';
      if (check.code !== 0) violations.push(violation('check', `The check fails: ${last}`));
    }
    let unmeasured: string | undefined;
    if (options.state !== undefined) {
      const state = await processes.run('state', options.state);
      const rows = state.code === 0 ? readState(state.stdout) : `it exits with ${state.code}`;
      if (typeof rows === 'string') unmeasured = rows;
      else violations.push(...stateViolations(rows, traffic));
    }
    const isJudged = ({ property }: Violation) => !this.notJudged.has(property);
    return { violations: violations.filter(isJudged), unmeasured, traffic };
  }
}
