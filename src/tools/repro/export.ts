import { conflict } from '../../kernel/errors.ts';
import { KnownSecrets } from '../../redaction/known-secrets.ts';
import { openMemoryStore } from '../../store/open.ts';
import { databaseOf } from '../../world/base.ts';
import { describeRepro } from './describe.ts';
import type { Repro, ReproHead, RequestRecord } from './format.ts';
import { ReproFileError } from './limits.ts';
import { PersonalData } from './personal-data.ts';
import { linesOfRepro, packLines, readRepro } from './read-repro.ts';
import { replayFile } from './replay-file.ts';
import type { ExportedRepro } from './result.ts';
import { generatedInventory, inventoryDigest, readRows, secretsIn } from './rows.ts';
import { findForbidden, withoutSecrets } from './secrets.ts';

/** What a file is made of; it can be sent to a thread. */
export interface ExportSource {
  head: Omit<ReproHead, 'digest' | 'privacy'>;
  requests: RequestRecord[];
  /** The state in which the first request ran; undefined if it is not kept. */
  base: Uint8Array | string | undefined;
  /** The database after the last request. */
  state: Uint8Array;
  secrets: readonly string[];
  keepPersonalData: boolean;
  /** Part of the name of the file. */
  subject: string;
}

/**
 * Makes a file: reads the rows, replaces personal data, replays, and scans the result.
 * @throws conflict if the file would contain a secret or exceed a limit
 */
export async function exportFile(source: ExportSource): Promise<ExportedRepro> {
  const { keepPersonalData, secrets, subject } = source;
  const { repro, rowSecrets } = await contentsOf(source);
  const knownSecrets = [...secrets, ...rowSecrets];
  const clean = withoutSecrets(repro, new KnownSecrets(knownSecrets));
  const personal = new PersonalData();
  const replaced = keepPersonalData ? clean : withoutPersonalData(clean, personal);
  const file: Repro = {
    ...replaced,
    head: {
      ...replaced.head,
      privacy: {
        personal_data: keepPersonalData ? 'kept' : 'replaced',
        replaced: personal.counts,
      },
    },
  };
  const problem = file.head.problem ?? (await problemOf(file));
  const result: Repro = problem === null ? file : { ...file, head: { ...file.head, problem } };
  const lines = linesOfRepro(result);
  const finding = findForbidden(result, lines, {
    secrets: knownSecrets,
    personal: personal.originals(),
  });
  if (finding !== undefined) throw conflict(finding);
  const bytes = packLines(lines);
  try {
    readRepro(bytes);
  } catch (error) {
    if (!(error instanceof ReproFileError)) throw error;
    throw conflict(`no file was written, because it would exceed a limit: ${error.message}`);
  }
  const name = `sandlot-${result.head.world}-${subject}.repro.gz`;
  return { bytes, summary: describeRepro(result, { name, bytes: bytes.length }) };
}

async function contentsOf({
  head,
  requests,
  base,
  state,
}: ExportSource): Promise<{ repro: Repro; rowSecrets: string[] }> {
  const generated = await generatedInventory(head);
  const stores = [base === undefined ? undefined : databaseOf(base, generated), state].map(
    (bytes) => bytes && openMemoryStore(Buffer.from(bytes)).client,
  );
  const [baseRows = [], stateRows = []] = stores.map(
    (client, n) => client && readRows(n === 0 ? 'base' : 'state', client, generated),
  );
  const repro: Repro = {
    head: {
      ...head,
      digest: inventoryDigest(generated),
      privacy: { personal_data: 'replaced', replaced: {} },
    },
    base: baseRows,
    requests,
    state: stateRows,
  };
  const rowSecrets = stores.flatMap((client) => (client ? secretsIn(client) : []));
  for (const client of [generated, ...stores]) client?.close();
  return { repro, rowSecrets };
}

function withoutPersonalData(repro: Repro, personal: PersonalData): Repro {
  const { base, requests, state } = repro;
  for (const line of [...base, ...requests, ...state]) personal.collect(line);
  const replacedRequests = requests.map((request) => personal.request(request));
  return {
    ...repro,
    requests: replacedRequests,
    base: base.map((row) => personal.row(row)),
    state: state.map((row) => personal.row(row)),
  };
}

/** Replays a file. @returns why it does not replay */
async function problemOf(repro: Repro): Promise<string | null> {
  try {
    const { divergence } = await replayFile(repro);
    const [first] = divergence;
    return first
      ? `a replay gives another response to request ${first.input} (${first.path})`
      : null;
  } catch (error) {
    if (error instanceof ReproFileError) return error.message;
    throw error;
  }
}
