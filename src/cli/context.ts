import { ControlClient, type ControlClientOptions } from '../client/control-client.ts';
import type { Fetch } from '../client/fetch.ts';
import { suggestedCommand } from '../client/suggested-command.ts';
import type { Status } from '../control/status.ts';
import { lazilyAsync } from '../kernel/lazily.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SandboxTool } from '../sandbox/tool.ts';
import { UsageError } from './errors.ts';
import type { CommandLineIo, EnvironmentVariables } from './io.ts';
import { findOtherFolder, locateSandbox, type SandboxAddress, wrongFolder } from './locate.ts';
import { Output } from './output.ts';
import { readFileOf } from './read-data.ts';

/** The values of the common options that `program.ts` declares. */
export interface CommonValues {
  json: boolean;
  url: string | undefined;
  world: string | undefined;
  controlToken: string | undefined;
  controlTokenFile: string | undefined;
}

/** What a command does to the sandbox; `discards` stops it or throws state away. */
export type Effect = 'reads' | 'changes' | 'discards';

export interface CommandContext {
  out: Output;
  io: CommandLineIo;
  variables: EnvironmentVariables;
  /** The name in --world; without it, the sandbox uses `default`. */
  world: string | undefined;
  /** Returns a command line to suggest, with the --url of this one, and its --world unless `world` replaces it. */
  suggest(line: string, world?: string): string;
  /** Looks up the address of the sandbox at each call, because it may be starting. */
  address(): SandboxAddress;
  /** Returns the control token of the command line, or of its variable. @throws UsageError */
  controlToken(): string | undefined;
  /** @param signal ends the requests of the client */
  control(signal?: AbortSignal): ControlClient;
  /** Returns the folder in which the sandbox was started, if that is another one and no option names the sandbox. */
  otherFolder(): Promise<string | undefined>;
  /**
   * Prints the address before the first change. The control client calls it; so must other changes.
   * @throws UsageError if the command discards state of the sandbox of another folder
   */
  beforeChange(): Promise<void>;
  /** The tools of a sandbox that the command starts. */
  tools: readonly SandboxTool[];
  /** Tools that extend `exec` add to these before it runs. */
  execFollowers: ExecFollower[];
}

/** Called when the command of `exec` has ended, while its sandbox still runs. @param exitCode of the command */
export type ExecFollower = (sandbox: Sandbox, exitCode: number) => Promise<ExecReport | undefined>;

interface ExecReport {
  /** Printed after the summary; with `--quiet`, only if it has failed. */
  lines: readonly string[];
  /** Whether `exec` fails although the command succeeded. */
  hasFailed: boolean;
}

export function createContext(
  common: Partial<CommonValues>,
  io: CommandLineIo,
  variables: EnvironmentVariables,
  tools: readonly SandboxTool[],
  effect: Effect = 'reads',
): CommandContext {
  const controlToken = () => readControlToken(common, variables, io);
  const address = () => locateSandbox(common.url, variables, io.cwd);
  const out = new Output(io, variables, common.json ?? false);
  const clientOptions = (): ControlClientOptions => ({
    baseUrl: address().url,
    fetch: io.fetch,
    world: common.world,
    token: controlToken(),
  });
  // The world may not exist yet.
  const readStatus = () =>
    new ControlClient({ ...clientOptions(), world: undefined }).get<Status>('/status');
  const otherFolder = () => findOtherFolder(address(), io.cwd, readStatus);
  const beforeChange = lazilyAsync(async () => {
    if (effect === 'reads') return;
    const sandbox = address();
    const folder = await otherFolder();
    if (effect === 'discards' && folder !== undefined) throw wrongFolder(sandbox, folder, io.cwd);
    const place = folder === undefined ? '' : `, started in ${folder}`;
    out.note(out.colors.dim(`sandbox: ${sandbox.url}${place}`));
  });
  return {
    out,
    io,
    variables,
    world: common.world,
    suggest: (line, world = common.world) => suggestedCommand(line, { url: common.url, world }),
    address,
    controlToken,
    tools,
    execFollowers: [],
    otherFolder,
    beforeChange,
    control: (signal) => {
      const fetch: Fetch = signal ? (url, init) => io.fetch(url, { ...init, signal }) : io.fetch;
      return new ControlClient({ ...clientOptions(), fetch, beforeChange });
    },
  };
}

/** @throws UsageError, which never contains a token */
function readControlToken(
  { controlToken, controlTokenFile: file }: Partial<CommonValues>,
  variables: EnvironmentVariables,
  io: CommandLineIo,
): string | undefined {
  if (file !== undefined && controlToken !== undefined) {
    throw new UsageError('--control-token-file: pass either this or --control-token');
  }
  // Editors and `echo` add a line break.
  const fromFile = file && readFileOf('--control-token-file', io, file).toString().trim();
  if (fromFile === '') throw new UsageError(`--control-token-file: ${file} is empty`);
  const token = fromFile ?? controlToken ?? variables.controlToken;
  // `fetch` would name the token in its error.
  if (token === undefined || /^[ -~]*$/.test(token)) return token;
  throw new UsageError('control token: must be one line of ASCII, which a header can contain');
}
