import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { normalizeDomain } from '../../kernel/addresses.ts';
import { conflict, validationError } from '../../kernel/errors.ts';
import type { Runtime } from '../../kernel/runtime.ts';
import { KnownTexts } from '../../redaction/redact.ts';
import type { RequestLog } from '../../requests/request-log.ts';
import { sha256Hex } from '../../signing/signature.ts';
import { SCHEMA_VERSION } from '../../store/create-tables.ts';
import { openMemoryStore } from '../../store/open.ts';
import { VERSION } from '../../version.ts';
import { openBase } from '../../world/run.ts';
import type { World } from '../../world/world.ts';
import type { ExportReproOptions } from './api.ts';
import { describeRepro } from './describe-repro.ts';
import {
  bytesOf,
  FORMAT,
  FORMAT_VERSION,
  type Repro,
  type ReproHead,
  type ReproRow,
  type RequestRecord,
} from './format.ts';
import { MAX_REQUESTS, MAX_UNPACKED_BYTES, MEGABYTE, ReproFileError } from './limits.ts';
import { lacksRuns, loggedRequests, requestsUntil } from './logged-requests.ts';
import { PersonalData } from './personal-data.ts';
import { replayFile } from './replay-file.ts';
import { linesOfRepro } from './repro-lines.ts';
import type { ExportedRepro } from './result.ts';
import { generatedInventory, inventoryDigest, readRows, secretsIn } from './rows.ts';
import { findForbidden, withoutSecrets } from './secrets.ts';
import { selectTarget } from './select.ts';
import { endSlice } from './slices.ts';

/** The parts of a sandbox that an export reads. */
interface ReproSource {
  requests: RequestLog;
  runtime: Runtime;
}

/** The fields of `ExportReproOptions` that select a target; at most one is given. */
const SELECTIONS = ['request', 'order', 'domain', 'last', 'since'];
const ONE = 'one of request, order, domain, last and since';

/**
 * Exports the requests of a world up to a target, and its state: replaces personal data, replays, and scans the result.
 * @throws validation_error, not_found, conflict, also if the file would contain a secret or exceed a limit
 */
export async function exportRepro(
  source: ReproSource,
  world: World,
  { keepPersonalData = false, ...selection }: ExportReproOptions,
): Promise<ExportedRepro> {
  const selected = Object.entries(selection).filter(([, value]) => value !== undefined);
  const unknown = selected.find(([name]) => !SELECTIONS.includes(name))?.[0];
  if (unknown !== undefined)
    throw validationError(`${unknown}: unknown option; pass world, keepPersonalData, or ${ONE}`);
  if (selected.length > 1) throw validationError(`request: pass only ${ONE}`);
  const { repro, secrets, sentHashes } = readContents(source, world, selection);
  const knownSecrets = new KnownTexts(secrets);
  const personal = new PersonalData();
  repro.head = withoutSecrets(repro.head, knownSecrets);
  await mapLines(repro, (line) => withoutSecrets(line, knownSecrets));
  if (!keepPersonalData)
    for (const step of ['reserveNumbers', 'collect', 'replace'] as const)
      await mapLines(repro, (line) => personal[step](line) ?? line);
  await updateFingerprints(repro, sentHashes);
  const { head } = repro;
  head.privacy = { personal_data: keepPersonalData ? 'kept' : 'replaced' };
  head.problem ??= await problemOf(repro);
  const lines = linesOfRepro(repro);
  const forbidden = { secrets: knownSecrets, personal: personal.originals() };
  const finding = await findForbidden(repro, lines, forbidden);
  if (finding !== undefined) throw conflict(finding);
  const bytes = await compress(repro, lines);
  const domain = selection.domain && normalizeDomain(selection.domain);
  const subject = selection.request ?? selection.order ?? domain ?? 'newest';
  const name = `sandlot-${head.world}-${subject}.repro.gz`;
  return { bytes, summary: describeRepro(repro, { name, bytes: bytes.length }) };
}

/** Reads the log and the state of a world, at once because they may change, and the secrets that no file may have. */
function readContents(source: ReproSource, world: World, selection: ExportReproOptions) {
  const { requests: log } = source;
  // Otherwise `selectTarget` would report a conflict for an ID that does not exist.
  if (selection.request !== undefined) log.require(world, selection.request, 'request');
  const { base } = world;
  const head = headOf(source, world);
  const stateBytes = world.serialize();
  const logged = loggedRequests(log, world, base.firstRun);
  const target = selectTarget(logged.requests, selection, { log, world });
  const requests = requestsUntil(logged.requests, target);
  const incomplete = requests.find(lacksNeededBody);
  head.target = target.n;
  if (base.state === null)
    head.problem = 'the world is too large to keep the state in which it began';
  else if (lacksRuns({ ...logged, requests }, base.firstRun))
    head.problem = 'the request log lacks requests since the world began, dropped or in progress';
  else if (incomplete)
    head.problem = `the request log has only the beginning of the body of request ${incomplete.n}`;
  else if (world.identity.tokenKeyOf === null)
    head.problem = 'the keys of the world are random, so that no replay repeats them';
  const generated = generatedInventory(head);
  const stateDb = openMemoryStore(stateBytes).client;
  const baseDb =
    head.problem === null && base.state !== null ? openBase(base.state, generated) : undefined;
  try {
    head.digest = inventoryDigest(generated);
    const repro: Repro = {
      head,
      base: baseDb ? readRows('base', baseDb, generated) : [],
      requests,
      state: readRows('state', stateDb, generated),
    };
    const rowSecrets = [baseDb, stateDb].flatMap((client) => (client ? secretsIn(client) : []));
    return { repro, secrets: [...log.secrets(), ...rowSecrets], sentHashes: logged.sentHashes };
  } finally {
    for (const client of [generated, baseDb, stateDb]) client?.close();
  }
}

/** Returns the head of a file. Its target, digest, problem and privacy are set later. */
function headOf({ runtime }: ReproSource, world: World): ReproHead {
  const { seed, inventory } = world.identity;
  return {
    kind: 'head',
    format: FORMAT,
    version: FORMAT_VERSION,
    sandlot: VERSION,
    schema: SCHEMA_VERSION,
    made_at: runtime.now(),
    world: world.name,
    seed,
    inventory,
    digest: '',
    target: 0,
    problem: null,
    privacy: { personal_data: 'replaced' },
  };
}

/** Whether a replay needs more of the body than the log has. A rejected request is rejected again. */
function lacksNeededBody({ status, runs, request }: RequestRecord): boolean {
  const isTruncated = request.altered === 'truncated';
  return isTruncated && runs.length > 0 && status !== null && status < 400;
}

type Line = ReproRow | RequestRecord;

/** Maps the rows and requests of a file in place. */
async function mapLines(
  { base, requests, state }: Repro,
  map: (line: Line) => Line,
): Promise<void> {
  for (const lines of [base, requests, state] as Line[][]) {
    for (const [index, line] of lines.entries()) {
      await endSlice();
      lines[index] = map(line);
    }
  }
}

/**
 * Keeps bodies different that were sent as different ones, by spaces and tabs, and replaces the hashes of sent bodies in the
 * rows, to which idempotency keys refer. Changes the file.
 */
async function updateFingerprints(
  { base, requests, state }: Repro,
  sentHashes: ReadonlyMap<string, string | null>,
): Promise<void> {
  const fingerprints = new Map<string, string>();
  /** Numbers of bodies that became equal, by the body and their sent hashes. */
  const spellings = new Map<string, Map<string, number>>();
  for (const { requestId, request } of requests) {
    await endSlice();
    const sentHash = sentHashes.get(requestId);
    if (!request.body || !sentHash) continue;
    if (/^\s*[{[]/.test(request.body)) {
      const numbers = spellings.get(request.body) ?? new Map<string, number>();
      const number = numbers.get(sentHash) ?? numbers.size;
      spellings.set(request.body, numbers.set(sentHash, number));
      request.body += (number + 1).toString(2).slice(1).replaceAll('0', ' ').replaceAll('1', '\t');
    }
    fingerprints.set(sentHash, sha256Hex(bytesOf(request)));
  }
  for (const { values } of [...base, ...state])
    values.fingerprint &&= fingerprints.get(String(values.fingerprint)) ?? values.fingerprint;
}

/** Compresses the lines of a file. @throws conflict if it would have more requests or bytes than `repro-lines.ts` reads */
async function compress({ requests }: Repro, lines: readonly string[]): Promise<Buffer> {
  const bytes = Buffer.from(`${lines.join('\n')}\n`);
  const tooLarge = (excess: string) =>
    conflict(`no file was written, because it would exceed a limit: ${excess}`);
  if (requests.length > MAX_REQUESTS) throw tooLarge(`more than ${MAX_REQUESTS} requests`);
  if (bytes.length <= MAX_UNPACKED_BYTES) return promisify(zlib.gzip)(bytes);
  throw tooLarge(`larger than ${MAX_UNPACKED_BYTES / MEGABYTE} MB unpacked`);
}

/** Replays a file. @returns why it does not replay */
async function problemOf(repro: Repro): Promise<string | null> {
  try {
    const [first] = (await replayFile(repro)).divergence;
    return first
      ? `a replay gives another response to request ${first.input} (${first.path})`
      : null;
  } catch (error) {
    if (error instanceof ReproFileError) return error.message;
    throw error;
  }
}
