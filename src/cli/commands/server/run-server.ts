import { PerformanceObserver } from 'node:perf_hooks';
import v8 from 'node:v8';
import type { Config } from '../../../config/schema.ts';
import { messageOf } from '../../../kernel/errors.ts';
import type { SandboxOptions } from '../../../sandbox/options.ts';
import { reportToParent } from '../../../server/detach.ts';
import { describeExposure } from '../../../server/exposure.ts';
import { explainStartFailure } from '../../../server/start-failure.ts';
import { type RunningServer, startServer } from '../../../server/start-server.ts';
import type { CommandContext } from '../../context.ts';
import { CommandFailedError, UsageError } from '../../errors.ts';
import { formatStatus } from './status.ts';

/** Serves until interrupted, or stopped by the control API. */
export async function runServer(call: CommandContext, settings: Config): Promise<void> {
  const stopped = Promise.withResolvers<void>();
  call.io.interruption().addEventListener('abort', () => stopped.resolve());
  const server = await openServer(call, settings, {
    onStop: stopped.resolve,
    workingDir: call.io.cwd,
  });
  const status = server.sandbox.status();
  // With --detach, the parent process prints the status: the log must not contain a secret.
  if (!reportToParent({ ready: status, warning: server.warning })) {
    call.out.result(status, formatStatus);
    if (server.warning !== undefined) call.out.warn(server.warning);
    for (const line of describeExposure(settings, status.seed)) call.out.note(line);
  }
  call.io.saveCode?.(tuneMemory);
  await stopped.promise;
  await server.close();
}

function tuneMemory(): void {
  // Requests after 8 idle seconds cost twice as much if V8 has freed compiled code.
  v8.setFlagsFromString('--memory-reducer-gc-count=0');
  limitNewSpace();
  new PerformanceObserver(limitNewSpace).observe({ type: 'gc' });
}

const NEW_SPACE_BYTES = 8 * 2 ** 20;
/** By which V8's space for new objects grows at once, from the 1 MB of a pause. */
const GROWTH_FACTOR = 8;

/**
 * Lets V8's space for new objects grow only up to its size after a start. They are short-lived: more space only makes the
 * process larger, by up to 80 MB. But V8 shrinks the space to 1 MB after a pause, and requests after it cost a third more.
 */
function limitNewSpace(): void {
  const isSmall = v8
    .getHeapSpaceStatistics()
    .some((space) => space.space_name === 'new_space' && space.space_size < NEW_SPACE_BYTES);
  v8.setFlagsFromString(`--semi-space-growth-factor=${isSmall ? GROWTH_FACTOR : 1}`);
}

/**
 * Starts a server, and tells a parent process if it cannot. Lets the command go on when its output cannot be written.
 * @throws UsageError or CommandFailedError if the settings, the port or the state folder are the cause
 */
export async function openServer(
  call: CommandContext,
  settings: Config,
  options: Pick<SandboxOptions, 'onStop' | 'workingDir' | 'sender' | 'requestHooks'> = {},
): Promise<RunningServer> {
  call.io.ignoreOutputErrors?.();
  try {
    return await startServer(settings, { ...options, tools: call.tools });
  } catch (error) {
    const failure = await explainFailure(call, error);
    reportToParent({ failure: messageOf(failure), isUsage: failure instanceof UsageError });
    throw failure;
  }
}

/** Returns the error of a command whose sandbox cannot start; any other error as it is. */
export async function explainFailure({ io }: CommandContext, error: unknown): Promise<unknown> {
  const reason = await explainStartFailure(error, io.fetch);
  return reason === undefined ? error : new CommandFailedError(reason);
}
