import net from 'node:net';
import { ControlApiError } from '../../../client/control-client.ts';
import { UnreachableError } from '../../../client/unreachable.ts';
import type { Status } from '../../../control/status.ts';
import { messageOf } from '../../../kernel/errors.ts';
import { MINUTE, SECOND } from '../../../kernel/time.ts';
import { MAX_SKEW_SECONDS } from '../../../signing/signature.ts';
import { VERSION } from '../../../version.ts';
import type { Delivery } from '../../../webhooks/delivery.ts';
import type { ControlRegistration } from '../../../webhooks/registration.ts';
import type { CommandContext } from '../../context.ts';
import { send, signingKey, signNow } from '../../partner-call.ts';
import { describeClock } from '../clock.ts';
import { type Finding, failure, ok, warning } from './finding.ts';

const STATUS_TIMEOUT_MS = 5_000;

export async function checkSandbox(
  context: CommandContext,
): Promise<{ finding: Finding; status?: Status }> {
  try {
    const client = context.control(AbortSignal.timeout(STATUS_TIMEOUT_MS));
    const status = await client.get<Status>('/status');
    const detail = `${status.url}, pid ${status.pid}, version ${status.version}, world ${status.world}`;
    if (status.version === VERSION) return { finding: ok('sandbox', detail), status };
    const hint = 'stop it and start it again to use this version';
    return {
      finding: warning('sandbox', `${detail}, but this command has version ${VERSION}`, hint),
      status,
    };
  } catch (error) {
    return { finding: explainNoStatus(context, error) };
  }
}

/** Checks that the clocks of this machine and the sandbox agree well enough for signatures. */
export function checkClock({ io }: CommandContext, { clock }: Status): Finding {
  const theirs = Date.parse(clock.now) - clock.offset_ms;
  const apart = Math.abs(io.runtime.now() - theirs);
  const detail = `real time differs from that of the sandbox by ${Math.round(apart / SECOND)} s; sandbox clock: ${describeClock(clock)}`;
  const hint = `set the clocks (NTP); a signature is rejected if they differ by more than ${MAX_SKEW_SECONDS} s`;
  if (apart > MAX_SKEW_SECONDS * SECOND) return failure('clock', detail, hint);
  return apart > MINUTE ? warning('clock', detail, hint) : ok('clock', detail);
}

/** Reports the worlds that the running sandbox could not open. */
export function checkWorlds({ unusable_worlds: unusable = [] }: Partial<Status>): Finding[] {
  return unusable.map(({ name, problem }) =>
    failure('worlds', `world ${name} cannot be used. ${problem}`, 'then restart the sandbox'),
  );
}

function explainNoStatus(context: CommandContext, error: unknown): Finding {
  if (error instanceof ControlApiError) {
    const hint =
      error.status === 404
        ? 'see: sandlot worlds list'
        : 'pass its control token with --control-token, --control-token-file or SANDLOT_CONTROL_TOKEN';
    return failure('sandbox', error.message, hint);
  }
  if (!(error instanceof UnreachableError)) {
    return failure('sandbox', messageOf(error), 'correct or remove --url and SANDLOT_URL');
  }
  const hint = error.isOther
    ? 'start a sandbox on another port with: sandlot start --port 0'
    : 'start a sandbox with: sandlot start';
  // If the user names an address, a sandbox is expected there.
  return hasExplicitAddress(context)
    ? failure('sandbox', error.message, `${hint}, or correct --url or SANDLOT_URL`)
    : warning('sandbox', error.message, hint);
}

function hasExplicitAddress({ address }: CommandContext): boolean {
  try {
    return ['--url', 'SANDLOT_URL'].includes(address().source);
  } catch {
    return false;
  }
}

/** Checks that a request signed with the key of the commands is accepted. It counts as a request. */
export async function checkCredential(context: CommandContext): Promise<Finding> {
  try {
    const key = await signingKey(context, undefined);
    const target = '/api/partner/v1/orders?limit=1';
    const response = await send(context, signNow(context, key, { method: 'GET', target }));
    if (response.ok) return ok('credential', `a request signed with ${key.key_id} is accepted`);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    const detail = `${key.key_id}: ${error.code}: ${error.message}`;
    // The signature is checked before these.
    if (response.status === 403 || response.status === 429) {
      return warning('credential', detail, 'the signature is valid; see: sandlot credentials list');
    }
    return failure(
      'credential',
      detail,
      'set SANDLOT_KEY_ID and SANDLOT_SECRET to a credential of "sandlot credentials list", or unset both',
    );
  } catch (error) {
    return failure(
      'credential',
      messageOf(error),
      'create a credential with: sandlot credentials create',
    );
  }
}

const CONNECT_TIMEOUT_MS = 3_000;

/** Checks that each registered webhook URL accepts connections. Sends nothing. */
export async function checkWebhooks({ control }: CommandContext): Promise<Finding[]> {
  const { webhooks } = await control().get<{ webhooks: ControlRegistration[] }>('/webhooks', {
    limit: 100,
  });
  if (webhooks.length === 0) return [ok('webhooks', 'no URL is registered')];
  const { deliveries } = await control().get<{ deliveries: Delivery[] }>('/deliveries', {
    limit: 100,
  });
  return Promise.all(webhooks.map((each) => checkOne(each, deliveries)));
}

/** @param deliveries newest first */
async function checkOne(
  { url, partner, environment }: ControlRegistration,
  deliveries: readonly Delivery[],
): Promise<Finding> {
  const whose = `of ${partner} in ${environment}`;
  const problem = await tryConnection(new URL(url));
  if (problem === undefined) {
    const latest = deliveries.find((each) => each.url === url && each.attempts.length > 0);
    const outcome = latest?.attempts.at(-1)?.outcome ?? 'ok';
    const accepts = `${url} ${whose} accepts connections`;
    if (latest === undefined || outcome === 'ok') return ok('webhooks', accepts);
    return warning(
      'webhooks',
      `${accepts}, but the newest webhook sent to it is ${latest.status}: ${outcome.replaceAll('_', ' ')}`,
      `only a response with 200 counts as delivered; see: sandlot webhooks show ${latest.delivery_id}`,
    );
  }
  // Receivers come and go while people develop.
  return warning(
    'webhooks',
    `${url} ${whose} cannot be reached (${problem})`,
    'start the receiver, or remove the URL with: sandlot webhooks unregister',
  );
}

/** Connects and disconnects. @returns the problem, undefined if the URL accepts connections */
function tryConnection({ hostname, port, protocol }: URL): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = net.connect({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port) || (protocol === 'https:' ? 443 : 80),
      timeout: CONNECT_TIMEOUT_MS,
    });
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once('connect', () => end());
    socket.once('timeout', () => end('no response'));
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
