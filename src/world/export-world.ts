import fs from 'node:fs';
import path from 'node:path';
import { conflict } from '../kernel/errors.ts';
import { removeDatabaseFile, temporaryFile } from '../store/database-file.ts';
import { leaveWalMode, serializeStore } from '../store/open.ts';
import { makePrivateFile } from '../store/private-files.ts';
import type { World } from './world.ts';

/** A consistent copy of a world, on its way out. */
export interface WorldCopy {
  size: number;
  /** The bytes, once. The copy is gone when they are read or the reader gives up. */
  stream: ReadableStream<Uint8Array>;
}

const CHUNK_BYTES = 64 * 1024;

let exported = 0;

/**
 * Copies a world with everything that was acknowledged, while it goes on: in slices, between which others have their
 * turn. A kill leaves a temporary file, which the next start removes.
 * @throws conflict if the world is reset, restored or deleted meanwhile
 */
export async function exportWorld(world: World, signal: AbortSignal): Promise<WorldCopy> {
  const { file } = world;
  if (file === undefined) {
    world.flush();
    const bytes = serializeStore(world.store);
    return { size: bytes.length, stream: new Blob([new Uint8Array(bytes)]).stream() };
  }
  exported += 1;
  const copy = temporaryFile(path.join(path.dirname(file), `.${world.name}-${exported}.db`));
  try {
    makePrivateFile(copy);
    await world.withReader(file, (reader) =>
      whileSyncing(copy, async (sync) => {
        const backup = reader.backup(copy, {
          progress: () => {
            signal.throwIfAborted();
            sync();
            return SLICE_PAGES;
          },
        });
        await backup.catch((error: unknown) => {
          if (reader.open) throw error;
          throw conflict(`world: ${world.name} was reset, restored or deleted during the export`);
        });
      }),
    );
    leaveWalMode(copy);
    return openCopy(copy);
  } catch (error) {
    removeDatabaseFile(copy);
    throw error;
  }
}

/** About a millisecond of copying. */
const SLICE_PAGES = 100;

/**
 * Calls `write`, which calls `sync` as it writes the file: what is written goes to the disk away from the event loop.
 * SQLite waits for all of it at the end, a quarter of a second for a million domains.
 */
async function whileSyncing(
  file: string,
  write: (sync: () => void) => Promise<void>,
): Promise<void> {
  const handle = await fs.promises.open(file, 'r+');
  let isSyncing = false;
  try {
    await write(() => {
      if (isSyncing) return;
      isSyncing = true;
      const done = () => {
        isSyncing = false;
      };
      // The end of the copy reports an error.
      handle.datasync().then(done, done);
    });
  } finally {
    await handle.close();
  }
}

/** Returns the copy as a stream that deletes it at its end. It is opened when it is first read. */
function openCopy(file: string): WorldCopy {
  const { size } = fs.statSync(file);
  let handle: fs.promises.FileHandle | undefined;
  const end = async () => {
    await handle?.close();
    removeDatabaseFile(file);
  };
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        handle ??= await fs.promises.open(file, 'r');
        const { bytesRead, buffer } = await handle.read({ buffer: new Uint8Array(CHUNK_BYTES) });
        if (bytesRead > 0) return controller.enqueue(buffer.subarray(0, bytesRead));
        await end();
        controller.close();
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return { size, stream };
}
