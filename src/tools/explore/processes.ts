import crossSpawn from 'cross-spawn';
import type { CommandLineIo } from '../../cli/io.ts';
import { exitStatus, killGroup, OWN_GROUP } from '../../kernel/child-process.ts';
import { formatDuration } from '../../kernel/time.ts';

/** How much of the end of an output is kept, in whole lines: half a secret would not be redacted. */
const MAX_OUTPUT = 64 * 1024;
/** A larger output of `--state` is not read. */
const MAX_RESULT = 1024 * 1024;
/** How long the output of a process is awaited after its exit: what it left behind may keep it open. */
const FLUSH_MS = 100;

/** A line for the shell, or a program and its arguments. */
export type Command = string | readonly string[];

export interface Ended {
  /** 128 + signal if a signal ended it; 127 if it cannot be started. */
  code: number;
  /** The end of what it wrote. */
  output: string;
  /** What it wrote to stdout; undefined if that is over 1 MB. */
  stdout: string | undefined;
}

export interface Running {
  /** Undefined until it has ended. */
  readonly code: number | undefined;
  ended: Promise<Ended>;
  /** Kills it and all that it started. @param why is added to its output */
  kill(why?: string): Promise<Ended>;
}

/** Runs `"$@"`, and a guard that is not its child and kills the group when sandlot closes descriptor 3 or is killed. */
const GUARD = '({ read -r _ <&3; kill -s KILL 0; } >/dev/null 2>&1 &); exec 3<&-; exec "$@"';

/** The processes that explore starts. None of them outlives it. */
export class Processes {
  readonly #env: NodeJS.ProcessEnv;
  readonly #io: CommandLineIo;
  readonly #timeoutMs: number;
  /** The processes of this run, and those that still run, with what they wrote. */
  #logs: { name: string; running: Running; text(): string }[] = [];
  #isClosed = false;

  /** @param timeoutMs how long a command may take */
  constructor(env: NodeJS.ProcessEnv, io: CommandLineIo, timeoutMs: number) {
    this.#env = env;
    this.#io = io;
    this.#timeoutMs = timeoutMs;
  }

  /** What the commands of this run wrote. */
  get log(): string {
    return this.#logs.map(({ text }) => text()).join('\n');
  }

  /** What the last command of a name wrote in this run: of one that has ended, even if it was started again. */
  logOf(name: string): string {
    const logs = this.#logs.filter((log) => log.name === name);
    const log = logs.findLast(({ running }) => running.code !== undefined) ?? logs.at(-1);
    return log?.text() ?? '';
  }

  /** Forgets what the processes that have ended wrote. */
  beginRun(): void {
    this.#logs = this.#logs.filter(({ running }) => running.code === undefined);
  }

  start(name: string, command: Command): Running {
    const { cwd, runtime } = this.#io;
    const isLine = typeof command === 'string';
    const isWindows = process.platform === 'win32'; // which has no sh
    const words = isLine && !isWindows ? ['sh', '-c', command] : [command].flat();
    const [file = '', ...args] = isWindows ? words : ['sh', '-c', GUARD, 'sh', ...words];
    const options = { env: this.#env, cwd, shell: isLine && isWindows, ...OWN_GROUP };
    const child = crossSpawn(file, args, { ...options, stdio: ['ignore', 'pipe', 'pipe', 'pipe'] });
    child.stdio[3]?.on('error', () => {});
    if (this.#isClosed) killGroup(child);
    let [output, stdout] = ['', ''];
    let exitCode: number | undefined;
    const keep = (chunk: string) => {
      output = (output + chunk).slice(-MAX_OUTPUT);
    };
    const kept = () => (output.length < MAX_OUTPUT ? output : output.replace(/^[^\n]*\n?/, ''));
    child.stderr?.setEncoding('utf8').on('data', keep);
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      keep(chunk);
      if (stdout.length <= MAX_RESULT) stdout += chunk;
    });
    const ended = new Promise<Ended>((resolve) => {
      const finish = (code: number) => {
        if (exitCode !== undefined) return;
        exitCode = code;
        // A process that has left the group may keep these open.
        for (const stream of child.stdio) stream?.destroy();
        resolve({ code, output: kept(), stdout: stdout.length > MAX_RESULT ? undefined : stdout });
      };
      child.once('error', (error) => {
        keep(`${error.message}\n`);
        if (child.pid === undefined) finish(127);
      });
      child.once('exit', (code, signal) => {
        const status = exitStatus(code, signal);
        // What it left in the background ends with it.
        killGroup(child);
        child.once('close', () => finish(status));
        runtime.after(FLUSH_MS, () => finish(status));
      });
    });
    const running: Running = {
      get code() {
        return exitCode;
      },
      ended,
      kill: (why = '') => {
        keep(why);
        killGroup(child);
        return ended;
      },
    };
    const how = () => (exitCode === undefined ? 'running' : `exit code ${exitCode}`);
    this.#logs.push({ name, running, text: () => `# ${name} (${how()})\n${kept()}` });
    return running;
  }

  /** Runs a command to its end, or kills it when its time is over. */
  async run(name: string, command: Command): Promise<Ended> {
    const running = this.start(name, command);
    const why = `\nKilled after ${formatDuration(this.#timeoutMs)}.\n`;
    const cancel = this.#io.runtime.after(this.#timeoutMs, () => void running.kill(why));
    return running.ended.finally(cancel);
  }

  /** Ends all that is running, and what would be started later. */
  close(): void {
    this.#isClosed = true;
    for (const { running } of this.#logs) if (running.code === undefined) void running.kill();
  }
}
