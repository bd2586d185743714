import path from 'node:path';
import { ControlClient } from '../client/control-client.ts';
import type { CommandContext, CommandDeclaration } from './command.ts';
import { COMMANDS } from './commands/index.ts';
import type { CommonValues } from './common-options.ts';
import { controlTokenOf } from './control-token.ts';
import { type Environment, readEnvironment } from './environment.ts';
import type { CommandLineIo } from './io.ts';
import { locateSandbox } from './locate.ts';
import { Output } from './output.ts';
import { buildProgram, knownPaths } from './program.ts';
import { reportFailure } from './report-failure.ts';

/**
 * Runs one command line.
 * @param argv what stands behind the program's name
 * @returns the exit code: 0 done, 1 refused or a check failed, 2 wrong usage, 3 no sandbox answers
 * @throws never
 */
export async function runCommandLine(
  argv: readonly string[],
  io: CommandLineIo,
  commands: readonly CommandDeclaration[] = COMMANDS,
): Promise<number> {
  const environment = readEnvironment(io.env);
  // Until the command line is understood, only this tells how a failure is to be shown.
  let context = contextOf({ json: asksForJson(argv) }, io, environment, commands);
  const program = buildProgram(
    wantedOf(argv, commands),
    io,
    async ({ declaration, args, options, common }) => {
      context = contextOf(common, io, environment, commands);
      await declaration.run({ ...context, args, options });
    },
  );
  try {
    // The bare name asks what there is.
    await program.parseAsync(argv.length === 0 ? ['--help'] : [...argv], { from: 'user' });
    return 0;
  } catch (error) {
    return reportFailure(error, context, () => helpFor(argv, knownPaths(commands)));
  }
}

/** Declaring a command takes its time, so where one is named that there is, only it and its neighbors are. */
function wantedOf(
  [word]: readonly string[],
  commands: readonly CommandDeclaration[],
): readonly CommandDeclaration[] {
  const wanted = commands.filter(({ path }) => path.split(' ')[0] === word);
  return wanted.length > 0 ? wanted : commands;
}

function contextOf(
  common: Partial<CommonValues>,
  io: CommandLineIo,
  environment: Environment,
  commands: readonly CommandDeclaration[],
): CommandContext {
  const dataDir = path.resolve(io.cwd, common.dataDir ?? '.sandlot');
  const controlToken: CommandContext['controlToken'] = (own = {}) => {
    const given = Object.entries(own).filter(([, value]) => value !== undefined);
    return controlTokenOf({ ...common, ...Object.fromEntries(given) }, environment, io.cwd);
  };
  const address = () => locateSandbox({ url: common.url, dataDir }, environment);
  return {
    out: new Output(io, environment, common.json ?? false),
    io,
    environment,
    commands,
    world: common.world,
    dataDir,
    address,
    controlToken,
    control: (signal) =>
      new ControlClient({
        baseUrl: address().url,
        fetch: signal ? (url, init) => io.fetch(url, { ...init, signal }) : io.fetch,
        world: common.world,
        token: controlToken(),
      }),
  };
}

/** The help that belongs to a command line that was not understood. */
function helpFor(argv: readonly string[], paths: Set<string>): string {
  const start = argv.findIndex((word) => paths.has(word));
  const [noun = '', verb = ''] = start < 0 ? [] : argv.slice(start, start + 2);
  const words = paths.has(`${noun} ${verb}`) ? [noun, verb] : [noun];
  return ['sandlot', ...words.filter(Boolean), '--help'].join(' ');
}

function asksForJson(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return (end < 0 ? argv : argv.slice(0, end)).includes('--json');
}
