import type { CommandLineIo } from '../../cli/io.ts';
import type { App } from './app.ts';
import type { ExploreOptions } from './commands.ts';
import type { Fault } from './kinds.ts';
import type { Lab } from './lab.ts';
import { NotMeasuredError, type Run } from './outcomes.ts';
import type { Processes } from './processes.ts';
import { type Broken, broken, brokenInTraffic } from './properties.ts';
import type { Reporter } from './report.ts';
import { brokenInState, readState } from './state.ts';
import type { Traffic } from './traffic.ts';

/** What a search is made of. */
export interface Session {
  io: CommandLineIo;
  options: ExploreOptions;
  workload: readonly string[];
  lab: Lab;
  app: App | undefined;
  processes: Processes;
  webhookSecret: string;
  interruption: AbortSignal;
  reporter: Reporter;
}

/** What was seen at one look. */
type Look = Pick<Run, 'broken' | 'unmeasured' | 'traffic'>;

/** How long a property that does not hold waits to be looked at again. */
const LOOK_EVERY_MS = 100;

/** Runs the workload with faults and judges each run. */
export class Runner {
  /** What the first clean run recorded. */
  #clean: Traffic | undefined;
  /** Properties that the clean runs break, which are not judged. */
  readonly notJudged = new Set<string>();
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
    session.lab.killApp = () => void session.app?.kill();
  }

  /** Runs the workload without a fault. @throws NotMeasuredError if it fails */
  async runClean(): Promise<Run> {
    const run = await this.run([]);
    const failed = run.broken.find(({ property }) => /^(?:state|check|process)\b/.test(property));
    if (!run.hasPassed) throw this.#notMeasured('workload', 'The workload fails without a fault.');
    if (run.unmeasured) throw this.#notMeasured('state', `--state: ${run.unmeasured}.`);
    this.#clean ??= run.traffic;
    if (!failed) return run;
    const { property, sentence } = failed;
    const [name = ''] = property.replace('process', 'app').split('.');
    throw this.#notMeasured(name, `Without a fault, ${property} does not hold: ${sentence}`);
  }

  /** @param name of the command whose output is shown */
  #notMeasured(name: string, problem: string): NotMeasuredError {
    const { processes, lab } = this.#session;
    return new NotMeasuredError(problem, lab.redact(processes.logOf(name)));
  }

  /** @throws NotMeasuredError if the run cannot begin */
  async run(faults: readonly Fault[]): Promise<Run> {
    const { lab, app, workload, processes, interruption, reporter, io } = this.#session;
    const begun = io.runtime.monotonic();
    reporter.begins(faults);
    processes.beginRun();
    await this.#reset();
    await lab.arm(faults);
    const { code } = await processes.run('workload', workload);
    const exits: Broken[] = [];
    const hasActed = app ? await this.#settle(app, faults, exits) : await lab.disarm();
    const { broken, unmeasured, traffic } = await this.#judge(faults, code);
    // Its commands were killed, so what it shows says nothing.
    if (interruption.aborted) throw new Error('interrupted');
    return {
      ...{ faults, hasActed, traffic, unmeasured },
      broken: [...exits, ...broken],
      hasPassed: code === 0,
      output: lab.redact(processes.log),
      durationMs: Math.round(io.runtime.monotonic() - begun),
    };
  }

  async #reset(): Promise<void> {
    const { lab, app, options, processes, webhookSecret: secret } = this.#session;
    if (options.restartApp) await app?.kill();
    await lab.reset();
    if (options.reset !== undefined) {
      const { code } = await processes.run('reset', options.reset);
      if (code !== 0) throw this.#notMeasured('reset', `--reset fails with exit code ${code}.`);
    }
    const problem = await app?.start();
    if (problem !== undefined)
      throw this.#notMeasured('app', `The app does not get ready: ${problem}.`);
    const { webhookUrl: url } = options;
    if (url !== undefined) await lab.control.put('/webhooks', { url, secret });
  }

  /** Lets everything come due that is under way. @returns whether the faults have acted */
  async #settle(app: App, faults: readonly Fault[], exits: Broken[]): Promise<boolean> {
    const { lab, options, processes } = this.#session;
    const restart = async () => {
      if (await app.hasExited()) exits.push(broken('process.exited', 'The app ended by itself.'));
      const problem = await app.start();
      if (problem === undefined) return;
      exits.push(broken('process.exited', `The app does not get ready again: ${problem}.`));
    };
    await restart();
    await lab.settle(restart);
    const hasActed = await lab.disarm();
    if (faults.some(({ kind }) => kind.id === 'webhook.missed')) {
      await app.kill();
      await restart();
    }
    if (options.catchUp !== undefined) await processes.run('catch-up', options.catchUp);
    await lab.settle(restart);
    return hasActed;
  }

  /** Looks until all properties hold, for the time of `--settle` at most. */
  async #judge(faults: readonly Fault[], code: number): Promise<Look> {
    const { lab, options, io } = this.#session;
    const { runtime } = io;
    const deadline = runtime.monotonic() + options.settle;
    for (;;) {
      await lab.idle();
      const look = await this.#look(faults, code);
      look.broken = look.broken.filter(({ property }) => !this.notJudged.has(property));
      const isFine = look.broken.length === 0 && look.unmeasured === undefined;
      if (isFine || runtime.monotonic() >= deadline) return look;
      await runtime.sleep(LOOK_EVERY_MS);
    }
  }

  async #look(faults: readonly Fault[], code: number): Promise<Look> {
    const { lab, app, options, processes } = this.#session;
    const traffic = lab.readTraffic();
    const found = brokenInTraffic(traffic, {
      clean: this.#clean ?? traffic,
      hasApp: app !== undefined,
      hasPassed: code === 0,
      clientTimeoutMs: options.clientTimeout,
      touched: new Set(faults.map(({ point }) => point.key)),
    });
    found.push(...(await lab.contradictions()));
    if (options.workloadMustPass && code !== 0) {
      found.push(broken('workload.passes', `The workload fails with exit code ${code}.`));
    }
    if (options.check !== undefined) {
      const check = await processes.run('check', options.check);
      const last = lab.redact(check.output).trim().split('\n').at(-1) ?? '';
      if (check.code !== 0) found.push(broken('check', `The check fails: ${last}`));
    }
    const look = { broken: found, unmeasured: undefined, traffic };
    if (options.state === undefined) return look;
    const state = await processes.run('state', options.state);
    const rows = state.code === 0 ? readState(state.stdout) : `it exits with ${state.code}`;
    if (typeof rows === 'string') return { ...look, unmeasured: rows };
    return { ...look, broken: [...found, ...brokenInState(rows, traffic)] };
  }
}
