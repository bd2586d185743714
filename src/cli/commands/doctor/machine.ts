import { broken, type Finding, fine, messageOf } from './finding.ts';

/** SQLite's binary needs Node-API 10. */
const NEEDED_NAPI = 10;

export function checkNode(versions: { node?: string; napi?: string } = process.versions): Finding {
  const where = `Node.js ${versions.node} on ${process.platform} ${process.arch}`;
  if (Number(versions.napi) >= NEEDED_NAPI) return fine('node', where);
  return broken('node', `${where} is too old`, 'install Node.js 22.14 or newer');
}

/** Whether SQLite's binary loads and works. */
export async function checkSqlite(): Promise<Finding> {
  try {
    const { default: Database } = await import('better-sqlite3');
    const database = new Database(':memory:');
    const version = database.prepare('SELECT sqlite_version()').pluck().get();
    database.close();
    return fine('sqlite', `SQLite ${version}`);
  } catch (error) {
    return broken(
      'sqlite',
      `SQLite does not load: ${messageOf(error).split('\n', 1)[0]}`,
      'install sandlot anew; its package carries SQLite for Linux, macOS and Windows on x64 and arm64',
    );
  }
}
