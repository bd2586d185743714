import { ControlApiError, UnreachableError } from '../../../client/control-client.ts';
import type { Status } from '../../../control/status.ts';
import { MINUTE, SECOND } from '../../../kernel/time.ts';
import { MAX_SKEW_SECONDS } from '../../../signing/signature.ts';
import { VERSION } from '../../../version.ts';
import type { CommandContext } from '../../command.ts';
import { broken, doubtful, type Finding, fine, messageOf } from './finding.ts';

const PATIENCE_MS = 5_000;

/** Whether a sandbox answers, and is of this version. */
export async function checkSandbox(
  context: CommandContext,
): Promise<{ finding: Finding; status?: Status }> {
  try {
    const door = context.control(AbortSignal.timeout(PATIENCE_MS));
    const status = await door.get<Status>('/status');
    const detail = `${status.url}, pid ${status.pid}, version ${status.version}, world ${status.world}`;
    if (status.version === VERSION) return { finding: fine('sandbox', detail), status };
    const hint = 'stop it and start it again, so that both are of one version';
    return {
      finding: doubtful('sandbox', `${detail}, but this command is ${VERSION}`, hint),
      status,
    };
  } catch (error) {
    return { finding: unanswered(context, error) };
  }
}

/** Whether this machine's clock and the sandbox's agree well enough for signatures. */
export function checkClock({ io }: CommandContext, { clock }: Status): Finding {
  const theirs = Date.parse(clock.now) - clock.offset_ms;
  const apart = Math.abs(io.runtime.now() - theirs);
  const detail = `real time differs from the sandbox's by ${Math.round(apart / SECOND)} s`;
  const hint = `set the clocks (NTP); a signature is refused when they are more than ${MAX_SKEW_SECONDS} s apart`;
  if (apart > MAX_SKEW_SECONDS * SECOND) return broken('clock', detail, hint);
  return apart > MINUTE ? doubtful('clock', detail, hint) : fine('clock', detail);
}

/** The worlds that the running sandbox could not open; none where it opened all. */
export function checkWorlds({ unusable_worlds: unusable = [] }: Partial<Status>): Finding[] {
  return unusable.map(({ name, problem }) =>
    broken('worlds', `world ${name} cannot be used. ${problem}`, 'then start the sandbox again'),
  );
}

function unanswered(context: CommandContext, error: unknown): Finding {
  if (error instanceof ControlApiError) {
    const hint =
      error.status === 404
        ? 'see which there are: sandlot worlds list'
        : 'give the token it was started with: --control-token, --control-token-file or SANDLOT_CONTROL_TOKEN';
    return broken('sandbox', error.message, hint);
  }
  if (!(error instanceof UnreachableError)) {
    return broken('sandbox', messageOf(error), 'mend --url or SANDLOT_URL, or leave them out');
  }
  const hint = 'start one with: sandlot start';
  // Where somebody says that there is one, there should be.
  return isToldWhere(context)
    ? broken('sandbox', error.message, `${hint}, or mend --url or SANDLOT_URL`)
    : doubtful('sandbox', error.message, hint);
}

function isToldWhere({ address }: CommandContext): boolean {
  try {
    return ['--url', 'SANDLOT_URL'].includes(address().source);
  } catch {
    return false;
  }
}
