import type { ExportRepro } from '../control/export-repro.ts';
import { conflict } from '../kernel/errors.ts';
import type { Runtime } from '../kernel/runtime.ts';
import { SECOND } from '../kernel/time.ts';
import type { Recordings } from '../requests/recordings.ts';
import type { ReproSource } from '../sandbox.ts';
import { registeredSecrets } from '../webhooks/registrations.ts';
import { DEFAULT_WORLD } from '../world/files.ts';
import type { World } from '../world/world.ts';
import type { ExportJob } from './export-job.ts';
import type { ExportedRepro } from './result.ts';
import { InFlightError, type ReproSelection, type Selected, selectInputs } from './select.ts';

export interface ExportOptions extends ReproSelection {
  keepPersonalData?: boolean | undefined;
  /** False writes plain JSON Lines. */
  compressed?: boolean | undefined;
}

/** How long an export waits for requests in flight. */
const MAX_WAIT_MS = 10 * SECOND;
const POLL_MS = 50;

/**
 * Exports what a world has recorded.
 * @param run runs the job here or in a thread
 * @throws not_found, conflict
 */
export async function exportRepro(
  source: ReproSource,
  world: World,
  options: ExportOptions,
  run: (job: ExportJob) => Promise<ExportedRepro>,
): Promise<ExportedRepro> {
  const { requests, runtime, worlds } = source;
  const log = requests.of(world);
  const { reason } = requests.recordingOf(world);
  const selected = await whenComplete(runtime, () => {
    const [newest] = log.list({}, { limit: 1 });
    const { request } = options;
    if (request === undefined) {
      if (newest) assertComplete(log.recordings, newest.requestId);
    } else if (!log.recordings.find(request)) log.require(request);
    return selectInputs(log.recordings, options, reason);
  });
  return run(
    jobOf(log.recordings, selected, options, {
      world: world.name,
      madeAt: runtime.now(),
      secrets: [...worlds.secrets(), ...world.read(registeredSecrets)],
      worldNames: worlds.list().map(({ name }) => name),
    }),
  );
}

export function jobOf(
  recordings: Recordings,
  { recording, inputs, start, target, focus }: Selected,
  options: ExportOptions,
  own: Pick<ExportJob, 'world' | 'madeAt' | 'secrets' | 'worldNames'>,
): ExportJob {
  const compressed = options.compressed ?? true;
  const about = options.request ?? options.order ?? 'newest';
  return {
    ...own,
    worldNames: [...new Set([own.world, DEFAULT_WORLD, ...own.worldNames])],
    base: recordings.base(recording),
    settings: recording.settings,
    inputs,
    start,
    target,
    focus,
    keepPersonalData: options.keepPersonalData ?? false,
    fileName: `sandlot-${own.world}-${about}.repro.${compressed ? 'gz' : 'jsonl'}`,
    compressed,
  };
}

function assertComplete(recordings: Recordings, requestId: string): void {
  const found = recordings.find(requestId);
  const recording = recordings.list().find(({ id }) => id === found?.recording);
  if (!found || !recording || recording.ended !== null) return;
  if (!recordings.inputs(recording).some(({ n }) => n === found.n)) throw new InFlightError();
}

async function whenComplete(runtime: Runtime, select: () => Selected): Promise<Selected> {
  for (let waited = 0; ; waited += POLL_MS) {
    try {
      return select();
    } catch (error) {
      if (!(error instanceof InFlightError)) throw error;
      if (waited >= MAX_WAIT_MS) {
        throw conflict('an earlier request is still in flight; try again when it is done');
      }
    }
    await runtime.sleep(POLL_MS);
  }
}

/** Exports in a thread. */
export function reproExporter(source: ReproSource): ExportRepro {
  return async (world, options) => {
    const { exportInThread } = await import('./export-in-thread.ts');
    return exportRepro(source, world, options, exportInThread);
  };
}

/** Exports in this thread. */
export async function exportHere(
  source: ReproSource,
  world: World,
  options: ExportOptions,
): Promise<ExportedRepro> {
  const { runExport } = await import('./job.ts');
  return exportRepro(source, world, options, runExport);
}
