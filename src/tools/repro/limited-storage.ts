import { conflict } from '../../kernel/errors.ts';
import { memoryStorage, type SnapshotStorage } from '../../world/snapshot-storage.ts';

/** Keeps snapshots in memory, up to a limit. @param exceeded called when a snapshot is rejected */
export function limitedStorage(maxBytes: number, exceeded: () => void): SnapshotStorage {
  const storage = memoryStorage();
  return {
    ...storage,
    put(world, name, bytes, alter) {
      const others = storage.names(world).filter((each) => each !== name);
      const size = others.reduce((sum, each) => sum + storage.sizeOf(world, each), bytes.length);
      if (size > maxBytes) {
        exceeded();
        throw conflict(`snapshots: more than ${maxBytes} bytes`);
      }
      storage.put(world, name, bytes, alter);
    },
  };
}
