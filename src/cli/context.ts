import fs from 'node:fs';
import path from 'node:path';
import { ControlClient, type ControlClientOptions } from '../client/control-client.ts';
import type { Config } from '../config/schema.ts';
import type { Status } from '../control/status.ts';
import type { Sandbox } from '../sandbox/sandbox.ts';
import type { SandboxTool } from '../sandbox/tool.ts';
import { UsageError } from './errors.ts';
import type { CommandLineIo, Environment } from './io.ts';
import { assertOwnSandbox, locateSandbox, type SandboxAddress } from './locate.ts';
import { Output } from './output.ts';
import { cannotRead } from './read-data.ts';

export interface CommonValues {
  json: boolean;
  url: string | undefined;
  world: string | undefined;
  dataDir: string | undefined;
  controlToken: string | undefined;
  controlTokenFile: string | undefined;
}

type TokenOptions = Partial<Pick<CommonValues, 'controlToken' | 'controlTokenFile'>>;

export interface CommandContext {
  out: Output;
  io: CommandLineIo;
  environment: Environment;
  /** The name in --world; without it, the sandbox uses `default`. */
  world: string | undefined;
  /** Absolute path of the state folder. */
  dataDir: string;
  /** Looks up the address of the sandbox at each call, because it may be starting. */
  address(): SandboxAddress;
  /** Returns the control token of the command line, or of the environment. @param options options of the command itself */
  controlToken(options?: TokenOptions): string | undefined;
  control(signal?: AbortSignal): ControlClient;
  /** The tools of a sandbox that the command starts. */
  tools: readonly SandboxTool[];
  /** Followers of `exec`, which options of tools add. */
  execFollowers: ExecFollower[];
}

/** Hooks of an option that a tool adds to `exec`. */
export interface ExecFollower {
  /** Called before the command runs. @throws UsageError */
  begins?(settings: Config & Readonly<Record<string, unknown>>): void;
  /** Called when the command has ended, while its sandbox still runs. @param code exit code of the command */
  ended(sandbox: Sandbox, code: number): Promise<void>;
  /** Called after the summary, unless `--quiet` is given. */
  print?(): void;
  /** Whether `exec` fails although the command succeeded. */
  hasFailed?(): boolean;
}

export function createContext(
  common: Partial<CommonValues>,
  io: CommandLineIo,
  environment: Environment,
  tools: readonly SandboxTool[],
): CommandContext {
  const dataDir = path.resolve(io.cwd, common.dataDir ?? '.sandlot');
  const controlToken = (options: TokenOptions = {}) => {
    const entries = Object.entries(options).filter(([, value]) => value !== undefined);
    return readControlToken({ ...common, ...Object.fromEntries(entries) }, environment, io.cwd);
  };
  const hasDataDirOption = common.dataDir !== undefined;
  const address = () => locateSandbox({ url: common.url, dataDir, hasDataDirOption }, environment);
  return {
    out: new Output(io, environment, common.json ?? false),
    io,
    environment,
    world: common.world,
    dataDir,
    address,
    controlToken,
    tools,
    execFollowers: [],
    control: (signal) => {
      const sandbox = address();
      const options = {
        baseUrl: sandbox.url,
        fetch: signal ? (url, init) => io.fetch(url, { ...init, signal }) : io.fetch,
        world: common.world,
        token: controlToken(),
      } satisfies ControlClientOptions;
      const readStatus = () => new ControlClient(options).get<Status>('/status');
      const before = () => assertOwnSandbox(sandbox, dataDir, readStatus);
      return new ControlClient({ ...options, before });
    },
  };
}

/** @throws UsageError, which never contains a token */
function readControlToken(
  { controlToken, controlTokenFile: file }: TokenOptions,
  environment: Environment,
  cwd: string,
): string | undefined {
  if (file === undefined) return controlToken ?? environment.controlToken;
  if (controlToken !== undefined) {
    throw new UsageError('--control-token-file: pass either this or --control-token');
  }
  const token = readToken(path.resolve(cwd, file), file);
  if (token !== '') return token;
  throw new UsageError(`--control-token-file: ${file} is empty`);
}

function readToken(file: string, typedPath: string): string {
  try {
    // Editors and `echo` add a line break.
    return fs.readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw cannotRead('--control-token-file', typedPath, error);
  }
}
