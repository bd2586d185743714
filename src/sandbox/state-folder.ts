import fs from 'node:fs';
import path from 'node:path';
import { makePrivateFolder, makeStatePrivate, PRIVATE_FILE } from '../store/private-files.ts';

/** The folder of the world files, in a state folder that git ignores. */
export function worldsDir(dataDir: string): string {
  const dir = path.join(dataDir, 'worlds');
  makePrivateFolder(dataDir);
  makeStatePrivate(dataDir);
  makePrivateFolder(dir);
  const ignore = path.join(dataDir, '.gitignore');
  if (!fs.existsSync(ignore)) fs.writeFileSync(ignore, '*\n', { mode: PRIVATE_FILE });
  return dir;
}
