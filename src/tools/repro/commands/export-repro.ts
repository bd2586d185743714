import path from 'node:path';
import zlib from 'node:zlib';
import type { CommandContext } from '../../../cli/context.ts';
import { CommandFailedError, UsageError } from '../../../cli/errors.ts';
import { STDOUT, writeAtomically } from '../../../cli/write-file.ts';
import { countOf } from '../../../kernel/count.ts';
import type { ReproSummary } from '../result.ts';
import { requireNew, sizeOf } from './repro-file.ts';
import { formatSummary } from './show-repro.ts';

/**
 * Writes a repro of a running sandbox.
 * @param input of the endpoint
 * @param target its `file` is `-` for stdout, and undefined for the suggested name
 * @throws CommandFailedError if it does not replay
 */
export async function exportToFile(
  call: CommandContext,
  input: object,
  target: { file: string | undefined; force: boolean },
): Promise<void> {
  const { io, out } = call;
  // Check before the replay, which takes a while.
  if (target.file !== undefined) assertFree(call, target.file, target.force);
  const response = await call.control().postForFile('/repro/export', input, 'application/gzip');
  const bytes = new Uint8Array(await response.arrayBuffer());
  const header = response.headers.get('X-Sandlot-Repro-Summary') ?? '';
  const summary = JSON.parse(header) as ReproSummary & { file: string };
  const file = target.file ?? summary.file;
  if (target.file === undefined) assertFree(call, file, target.force);
  const content = file.endsWith('.jsonl') ? zlib.gunzipSync(bytes) : bytes;
  const outcome = summary.verified
    ? `Replayed ${countOf(summary.inputs, 'request')}: all responses match.`
    : `The file opens but does not replay: ${summary.problem}.`;
  if (file === STDOUT) {
    io.stdout.write(content);
    out.note(outcome);
  } else {
    await writeAtomically(path.resolve(io.cwd, file), content);
    const lines = [outcome, `Wrote ${file} (${sizeOf(content.length)})`, ''];
    out.result({ ...summary, file, bytes: content.length }, (document, formatter) => [
      ...lines,
      formatSummary(document, formatter),
    ]);
  }
  if (!summary.verified) throw new CommandFailedError(`it does not replay: ${summary.problem}`);
}

function assertFree({ io }: CommandContext, file: string, force: boolean): void {
  if (file !== STDOUT) requireNew(io, '<file>', file, force);
  else if (io.stdout.isTTY)
    throw new UsageError('<file>: stdout is a terminal; pass a file name, or redirect the output');
}
