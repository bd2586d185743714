import type { LogExtension } from '../../../requests/log-extension.ts';
import type { RequestLog } from '../../../requests/request-log.ts';
import type { RequestLogs } from '../../../requests/request-logs.ts';
import type { FollowedSandbox, Follower } from '../../../sandbox/tool.ts';
import type { Store } from '../../../store/open.ts';
import type { World } from '../../../world/world.ts';
import { DEFAULT_WORLD } from '../../../world/worlds.ts';
import { Recorder, type RecordingStatus } from './recorder.ts';
import type { RecordedSettings } from './recording-store.ts';
import {
  deleteRecordings,
  MAX_BASE_BYTES,
  makeTables,
  pruneRecordings,
} from './recording-store.ts';
import { Recordings } from './recordings.ts';

const WORLD_RECORDINGS = new WeakMap<World, WorldRecording>();

/** Returns the recording of a world. */
export function recordingOf(requests: RequestLogs, world: World): WorldRecording {
  // Opens the log, whose extension is the recording.
  requests.of(world);
  const recording = WORLD_RECORDINGS.get(world);
  if (!recording) throw new Error('no world of this sandbox is recorded');
  return recording;
}

/** Records the worlds of a sandbox. */
export function followSandbox(sandbox: FollowedSandbox): Follower {
  const { requests } = sandbox;
  return {
    extendLog(world, log) {
      const recording = new WorldRecording(sandbox, world, log);
      WORLD_RECORDINGS.set(world, recording);
      log.extend(recording);
    },
    worldOpened(world, isFresh) {
      const { recorder } = recordingOf(requests, world);
      if (!recorder) return;
      world.followActs(recorder);
      if (isFresh) recorder.startFromSeed();
    },
    status: (world) => ({ recording: recordingOf(requests, world).status }),
  };
}

/** The recordings of a world, in its log. */
export class WorldRecording implements LogExtension {
  readonly recordings: Recordings;
  /** Undefined if recording is off. */
  readonly recorder: Recorder | undefined;
  /** Why recording is off; null if it is on. */
  readonly #reason: string | null;
  readonly #world: string;

  constructor(sandbox: FollowedSandbox, world: World, log: RequestLog) {
    const { runtime, settings } = sandbox;
    const { name } = world;
    this.#world = name;
    this.recordings = new Recordings({
      log: () => log.store,
      world: name,
      current: () => this.current,
    });
    this.#reason = reasonOf(sandbox);
    if (this.#reason !== null) return;
    this.recorder = new Recorder(world, {
      runtime,
      log,
      maxBase: MAX_BASE_BYTES[log.file === undefined ? 'memory' : 'file'],
      isConfigured: name === DEFAULT_WORLD && settings.isConfigured,
      settings: () => recordedSettings(sandbox, world),
    });
  }

  get status(): RecordingStatus {
    return this.recorder?.status ?? { since: null, requests: 0, reason: this.#reason };
  }

  /** Key of the open recording. */
  get current(): string | undefined {
    return this.recorder?.current?.key;
  }

  readonly opened = makeTables;
  readonly prune = pruneRecordings;

  lost(reason: string): void {
    this.recorder?.end(reason);
  }

  clear(log: Store): void {
    this.recorder?.end('the request log was cleared');
    deleteRecordings(log, this.#world);
  }

  closing(): void {
    this.recorder?.end('the sandbox stopped');
  }
}

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
