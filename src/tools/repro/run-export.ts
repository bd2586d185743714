import { conflict } from '../../kernel/errors.ts';
import { openLog, openLogReader } from '../../requests/log-file.ts';
import { MIGRATIONS } from '../../store/migrate.ts';
import { type Client, closeStore, openMemoryStore } from '../../store/open.ts';
import { VERSION } from '../../version.ts';
import { DEFAULT_WORLD } from '../../world/files.ts';
import { seededTokenKey } from '../../world/fresh-world.ts';
import { exportFile, type RecordedRepro } from './export.ts';
import { FORMAT, FORMAT_VERSION, type ReproHead } from './format.ts';
import { ReproFileError } from './limits.ts';
import { readRepro } from './read-repro.ts';
import { Recordings } from './recording/recordings.ts';
import type { ExportedRepro } from './result.ts';
import { readRows, secretsIn } from './rows.ts';
import {
  type ReproSelection,
  type SelectedInputs,
  type SelectionContext,
  selectInputs,
} from './select.ts';

export type ExportOptions = ReproSelection & {
  keepPersonalData?: boolean | undefined;
};

/** A request to export a recording of a world; it can be sent to a thread. */
export interface ExportRequest extends SelectionContext {
  world: string;
  /** Path of its request log, which may be in use, or the serialized database of a log in memory. */
  log: string | Uint8Array;
  options: ExportOptions;
  /** Secrets that must not be in the file. */
  secrets: readonly string[];
  /** Names of other worlds from which the token key may be derived. */
  worldNames: readonly string[];
  /** Key of the open recording. */
  current?: string | undefined;
}

/** Exports a recording. @throws validation_error, not_found, conflict */
export async function runExport(request: ExportRequest): Promise<ExportedRepro> {
  const { options } = request;
  const { order, domain, keepPersonalData = false } = options;
  const subject = options.request ?? order ?? domain;
  try {
    const exported = await exportFile(readRecording(request), keepPersonalData, subject);
    // Throws if the file exceeds a limit.
    readRepro(exported.bytes);
    return exported;
  } catch (error) {
    if (!(error instanceof ReproFileError)) throw error;
    throw conflict(`no file was written, because it would exceed a limit: ${error.message}`);
  }
}

function readRecording(request: ExportRequest): RecordedRepro {
  const { world, current, options } = request;
  const { log: logSource } = request;
  const log =
    typeof logSource === 'string' ? openLogReader(logSource) : openLog(Buffer.from(logSource));
  try {
    const recordings = new Recordings({
      log: () => log,
      world,
      current: () => current,
    });
    return toRecordedRepro(recordings, selectInputs(recordings, options, request), request);
  } finally {
    closeStore(log);
  }
}

/** Returns the selected part of a recording. @throws conflict if its base cannot be restored elsewhere */
export function toRecordedRepro(
  recordings: Recordings,
  { recording, inputs, start, target, focus }: SelectedInputs,
  { world, worldNames, madeAt, secrets }: Omit<ExportRequest, 'log' | 'options' | 'reason'>,
): RecordedRepro {
  const { base_url, ...settings } = recording.settings;
  const headWith = (base: ReproHead['base']): ReproHead => ({
    kind: 'head',
    format: FORMAT,
    version: FORMAT_VERSION,
    sandlot: VERSION,
    schema: MIGRATIONS.length,
    made_at: madeAt,
    origin: 'sandbox',
    world,
    base_url,
    settings,
    base,
    target,
    focus,
    verified: true,
    privacy: { personal_data: 'replaced', replaced: {} },
  });
  const base = recordings.base(recording);
  if (!base) {
    throw conflict(
      'the world as it was when this recording began is not stored: it was deleted to save space; record it again',
    );
  }
  if ('seed' in base) {
    const head = headWith({ ...base, digest: '' });
    return { repro: { head, rows: [], inputs: [...inputs] }, start, secrets };
  }
  const { client } = openMemoryStore(Buffer.from(base));
  try {
    const token_key_of = tokenKeyOwner(client, [world, DEFAULT_WORLD, ...worldNames]);
    if (token_key_of === undefined) {
      throw conflict(
        `world: the tokens of ${world} are made with a key that does not follow from its seed, so a replay elsewhere would differ`,
      );
    }
    const head = headWith({ type: 'rows', token_key_of });
    const repro = { head, rows: readRows(client), inputs: [...inputs] };
    return { repro, start, secrets: [...secrets, ...secretsIn(client)] };
  } finally {
    client.close();
  }
}

/** Returns the name of the world from which, with the seed, the token key of a database is derived. */
function tokenKeyOwner(client: Client, worldNames: readonly string[]): string | undefined {
  const world = client.prepare<[], { seed: string; token_key: string }>(
    'SELECT seed, token_key FROM world',
  );
  const { seed = '', token_key } = world.get() ?? {};
  return worldNames.find((name) => seededTokenKey(seed, name) === token_key);
}
