import { once } from 'node:events';
import type { CommandContext } from '../../../cli/context.ts';
import type { Repro } from '../format.ts';
import { readReproFile, requireRequest, withFileErrors } from './repro-file.ts';

/** Serves the sandbox of a file until interrupted. */
export async function open(
  { io, out, tools }: CommandContext,
  file: string,
  number: string | undefined,
): Promise<void> {
  const repro = await readReproFile(io, file);
  const at = number === undefined ? undefined : requireNumber(repro, number);
  const { openRepro } = await import('../open-file.ts');
  const openFile = () => openRepro(repro, at, tools);
  const { sandbox, diverged, credentials } = await withFileErrors(file, openFile);
  try {
    const { host, port } = await sandbox.listen('127.0.0.1', 0);
    const url = `http://${host}:${port}`;
    const interruption = io.interruption();
    const { world } = repro.head;
    const result = {
      url,
      dashboard_url: `${url}/_sandbox/?world=${world}`,
      world,
      at: at ?? null,
      diverged,
      inputs: repro.requests.length,
      credentials,
    };
    const note = `From #${diverged} on, it is not as recorded; "repro replay" shows the difference.`;
    out.result(result, (document, { block }) => [
      `${document.at === null ? 'Opened the state in the file' : `Replayed up to request ${document.at} of ${document.inputs}`}. The clock is frozen, and no webhook is sent.`,
      ...(diverged === null ? [] : [note]),
      '',
      block([
        ['url', document.url],
        ['dashboard', document.dashboard_url],
        ['world', document.world],
        ...document.credentials.map(
          (credential) => ['credential', `${credential.key_id}  ${credential.secret}`] as const,
        ),
      ]),
      '',
      'Press Ctrl-C to stop.',
    ]);
    if (!interruption.aborted) await once(interruption, 'abort');
  } finally {
    await sandbox.close();
  }
}

/** Reads the number of a request of the file, or 0 for the state before the first one. @throws UsageError */
function requireNumber(repro: Repro, number: string): number {
  return /^#?0$/.test(number) ? 0 : requireRequest(repro, '--at', number).n;
}
