import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/sandlot-process.ts';
import { runQuickly, SECRET, startReceiver } from './receiver.ts';

/** The verifiers that start fast enough to run once per delivery. */
const VERIFIERS: [name: string, command: string, file: string][] = [
  ['Node', process.execPath, 'webhook.mjs'],
  ['Python', 'python3', 'webhook.py'],
  ['PHP', 'php', 'webhook.php'],
  ['Ruby', 'ruby', 'webhook.rb'],
  ['sh', 'sh', 'webhook.sh'],
];

for (const [name, command, file] of VERIFIERS) {
  const installed = command === 'sh' || spawnSync(command, ['--version']).status === 0;
  // A version manager's launcher takes longer than the verifier.
  const program = command === 'python3' && installed ? pathOfPython() : command;
  const title = `a receiver built from ${file} passes the must checks of sig.* and body.*`;
  test.skipIf(name !== 'Node' && !installed)(
    installed ? title : `${title} (SKIPPED: ${name} is not installed)`,
    async () => {
      let received: Buffer = Buffer.alloc(0);
      const { url } = await startReceiver({
        signedBytes: ({ body }) => {
          received = body;
          return body;
        },
        verify: (_expected, given) => {
          const args = [path.join(ROOT, 'fixtures/snippets', file), given ?? ''];
          const env = { ...process.env, SECRET };
          return spawnSync(program, args, { env, input: received }).status === 0;
        },
      });
      const { checks } = await runQuickly({ url, only: ['sig.*', 'body.*'] });
      const musts = checks.filter(({ level }) => level === 'must');
      expect(musts).toHaveLength(20);
      expect(musts.filter(({ result }) => result !== 'pass')).toEqual([]);
    },
    60_000,
  );
}

function pathOfPython(): string {
  const args = ['-c', 'import sys; print(sys.executable)'];
  return spawnSync('python3', args, { encoding: 'utf8' }).stdout.trim();
}
