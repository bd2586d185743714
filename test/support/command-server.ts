import fs from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { runCommandLine } from '../../src/cli/run.ts';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import { TOOLS } from '../../src/tools/index.ts';
import { listenOnLoopback } from './ports.ts';
import { BIN } from './sandlot-process.ts';

/** Commands that run in the background or start a process; they keep a process of their own. */
const OWN_PROCESS = 'start*|exec*|init*|"webhooks listen"*|"webhooks test"*';

/**
 * Returns a bash script that stands in for `npx`: it hands the arguments, variables, working directory and standard
 * input of a `sandlot` command to this process, which runs it in a few milliseconds instead of starting Node.js.
 */
export async function commandServer(folder: string): Promise<string> {
  const server = net.createServer((socket) => {
    socket.once('data', async (line) => {
      const [file = ''] = /^\d+$/.exec(String(line).trim()) ?? [];
      socket.end(`${await run(path.join(folder, file))}\n`);
    });
  });
  const { port } = new URL(await listenOnLoopback(server));
  return `#!/usr/bin/env bash
shift
case "$1 $2" in
  ${OWN_PROCESS}) exec "${process.execPath}" "${BIN}" "$@" ;;
esac
file="${folder}/$$"
{
  env -0
  printf '\\0%s' "$PWD"
  for word in "$@"; do printf '\\0%s' "$word"; done
  printf '\\0\\0\\0'
  cat
} > "$file.in"
exec 3<> /dev/tcp/127.0.0.1/${port}
echo $$ >&3
read -r code <&3
cat "$file.out"
if [ -s "$file.err" ]; then cat "$file.err" >&2; fi
exit "$code"
`;
}

/** Runs the command that the script has written to a file, and writes its output beside it. */
async function run(file: string): Promise<number> {
  const [head, stdin] = split(fs.readFileSync(`${file}.in`, 'latin1'), '\0\0\0');
  const [variables, words] = split(head, '\0\0');
  const [cwd = '', ...argv] = text(words).split('\0');
  const env = Object.fromEntries(
    text(variables)
      .split('\0')
      .map((line) => split(line, '=')),
  );
  const { code, ...output } = await runHere(argv, cwd, env, Buffer.from(stdin, 'latin1'));
  for (const [name, content] of Object.entries(output))
    fs.writeFileSync(`${file}.${name}`, content);
  return code;
}

/** Runs a `sandlot` command in this process. */
export async function runHere(
  argv: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv,
  stdin: Buffer = Buffer.alloc(0),
): Promise<{ code: number; out: string; err: string }> {
  const output = { out: '', err: '' };
  const stream = (name: keyof typeof output) => ({
    write(added: string) {
      output[name] += added;
      return true;
    },
  });
  const code = await runCommandLine(
    argv,
    {
      stdout: stream('out'),
      stderr: stream('err'),
      async *stdinChunks() {
        yield stdin;
      },
      env,
      cwd,
      fetch: (url, init) => fetch(url, init as RequestInit),
      runtime: systemRuntime,
      interruption: () => new AbortController().signal,
    },
    TOOLS,
  );
  return { code, ...output };
}

/** As `sandlot()`, in this process. Commands that start a process need one of their own. */
export async function command(cwd: string, args: readonly string[], env = process.env) {
  const { code, out, err } = await runHere(args, cwd, env);
  return { status: code, stdout: out, stderr: err };
}

/** Splits at the first separator. */
function split(whole: string, separator: string): [string, string] {
  const at = whole.indexOf(separator);
  return at < 0 ? [whole, ''] : [whole.slice(0, at), whole.slice(at + separator.length)];
}

/** Decodes UTF-8 that was read byte by byte. */
function text(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
