import Database from 'better-sqlite3';
import { type Client, leaveWalMode } from '../store/open.ts';
import { verifyCopy } from '../store/verify-copy.ts';

/** What the file of a world says of itself. */
export interface WorldFileContents {
  name: string;
  seed: string;
  idSeries: number;
  tokenKey: string;
  keyIds: string[];
}

/** Opens the file of a world from elsewhere. */
export function openWorldFile(file: string): Client {
  leaveWalMode(file);
  return new Database(file);
}

/** Verifies all of a world from elsewhere. @throws validation_error */
export function verifyWorldFile(client: Client): WorldFileContents {
  verifyCopy(client);
  return {
    ...(client
      .prepare('SELECT name, seed, id_series AS idSeries, token_key AS tokenKey FROM world')
      .get() as Omit<WorldFileContents, 'keyIds'>),
    keyIds: client.prepare('SELECT key_id FROM credentials').pluck().all() as string[],
  };
}
