import module from 'node:module';
import { ConfigError } from '../../../config/read-config.ts';
import type { Config } from '../../../config/schema.ts';
import { limitYoungGeneration } from '../../../kernel/young-generation.ts';
import { tellStarter } from '../../../server/detach.ts';
import { describeExposure } from '../../../server/exposure.ts';
import { explainStartFailure } from '../../../server/start-failure.ts';
import { type RunningServer, startServer } from '../../../server/start-server.ts';
import { watchState } from '../../../server/watch-state.ts';
import type { CommandContext } from '../../command.ts';
import { CheckFailedError, ExitWith, UsageError } from '../../failures.ts';
import { showStatus } from './show-status.ts';

/** Node's compile cache is written at exit, which a killed server never reaches. */
const FLUSH_CACHE_AFTER_MS = 300;

/** Serves until interrupted, or until the control door asks to stop. */
export async function runServer(call: CommandContext, settings: Config): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  const interruption = call.io.interruption();
  interruption.addEventListener('abort', () => stopped.resolve());
  const server = await openServer(call, settings, stopped.resolve);
  const status = server.sandbox.status();
  // Started with --detach, whoever did shows it, and a log is no place for a secret.
  if (!tellStarter({ ready: status })) {
    call.out.result(status, showStatus);
    for (const line of describeExposure(settings)) call.out.note(line);
  }
  call.io.runtime.after(FLUSH_CACHE_AFTER_MS, () => void settle(server));
  let loss: string | undefined;
  const unwatch = watchState(server.sandbox, call.io.runtime, (why) => {
    loss = why;
    stopped.resolve();
  });
  await stopped.promise;
  unwatch();
  await server.close();
  if (loss === undefined) return;
  call.out.note(`${call.out.paint.bad('error:')} ${loss}`);
  throw new ExitWith(1);
}

/** What a start did not wait for: the rest of the program, its limit, the cache that makes the next start quicker. */
async function settle({ sandbox }: RunningServer): Promise<void> {
  limitYoungGeneration();
  try {
    await sandbox.app();
    module.flushCompileCache?.();
  } catch {
    // Out of file descriptors, say: the first request that needs the rest loads it, or reports why it cannot.
  }
}

/**
 * Starts a server, telling people why when it cannot.
 * @throws UsageError, CheckFailedError
 */
export async function openServer(
  call: CommandContext,
  settings: Config,
  onStop?: () => void,
): Promise<RunningServer> {
  call.io.outliveOutput?.();
  try {
    const onUpgrade = (world: string) =>
      call.out.note(
        `bringing the state of world ${world} up to date for this version; that is done once`,
      );
    return await startServer(settings, { onStop, onUpgrade });
  } catch (error) {
    const usage = error instanceof ConfigError;
    const why = usage ? error.message : await explainStartFailure(error, call.io.fetch);
    if (why === undefined) throw error;
    tellStarter({ failure: why });
    throw usage ? new UsageError(why) : new CheckFailedError(why);
  }
}
