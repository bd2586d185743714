import type { RequestLogs } from '../../../requests/request-logs.ts';
import type { FollowedSandbox, Follower } from '../../../sandbox/tool.ts';
import type { World } from '../../../world/world.ts';
import { DEFAULT_WORLD } from '../../../world/worlds.ts';
import type { RecordedSettings } from './recording.ts';
import { WorldRecording } from './world-recording.ts';

const RECORDED = new WeakMap<World, WorldRecording>();

/** Returns what is recorded of a world. */
export function recordingOf(requests: RequestLogs, world: World): WorldRecording {
  // Makes the log, and with it what it has.
  requests.of(world);
  const found = RECORDED.get(world);
  if (!found) throw new Error('no world of this sandbox is recorded');
  return found;
}

/** Records the worlds of a sandbox. */
export function followSandbox(sandbox: FollowedSandbox): Follower {
  const { requests, runtime, settings } = sandbox;
  return {
    extendLog(world, log) {
      const recording = new WorldRecording(log, world);
      RECORDED.set(world, recording);
      log.extend(recording);
    },
    worldOpened(world, isFresh) {
      const recording = recordingOf(requests, world);
      const reason = reasonOf(sandbox);
      if (reason !== null) {
        recording.leaveOut(reason);
        return;
      }
      const recorder = recording.record(world, {
        runtime,
        isConfigured: world.name === DEFAULT_WORLD && settings.isConfigured,
        settings: () => recordedSettings(sandbox, world),
      });
      world.followActs(recorder);
      if (isFresh) recorder.beginAtBirth();
    },
    status: (world) => ({ recording: recordingOf(requests, world).status }),
  };
}

/** Why nothing is recorded; null if it is. */
function reasonOf({ settings }: FollowedSandbox): string | null {
  if (settings.requestLog === 0) return 'the request log is off';
  if (settings.recording === false) return 'recording is off';
  return settings.randomKeys ? 'its keys are random, so that no seed repeats them' : null;
}

function recordedSettings(
  { settings, baseUrl, worlds }: FollowedSandbox,
  world: World,
): RecordedSettings {
  const limits = Object.entries(settings.rateLimits);
  return {
    base_url: baseUrl(),
    rate_limits: Object.fromEntries(limits.map(([name, limit]) => [name, limit ?? null])),
    last_id_series: worlds().lastSeriesOf(world),
    frozen_at: settings.frozenAt ?? null,
    default_credential: settings.defaultCredential,
  };
}
