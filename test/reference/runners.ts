import { execFile, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/** How a language of the snippets is run, and how it reads test vectors. */
interface Runner {
  /** The commands that must be there. */
  needs: readonly string[];
  run: readonly string[];
  /**
   * Replaces the calls of the signer: prints a signature for each line of standard input, which has secret,
   * method, target, timestamp, nonce and body, encoded by `encode`, with commas between.
   */
  signAll: string;
  /** The same for the verifier: secret, body and signature; prints `true` or `false`. */
  verifyAll: string;
  /** Encodes a field; base64 if left out. */
  encode?(field: Uint8Array): string;
}

export const RUNNERS: Readonly<Record<string, Runner>> = {
  curl: {
    needs: ['sh', 'openssl', 'curl', 'awk'],
    run: ['sh'],
    signAll: `text() { printf '%b' "$1"; }
while IFS=, read -r secret method target timestamp nonce body; do
  text "$body" | sign "$(text "$secret")" "$(text "$method")" "$(text "$target")" "$(text "$timestamp")" "$(text "$nonce")"
done
`,
    verifyAll: `text() { printf '%b' "$1"; }
while IFS=, read -r secret body signature; do
  if text "$body" | verify "$(text "$secret")" "$(text "$signature")"; then echo true; else echo false; fi
done
`,
    // The shell decodes octal numbers itself; base64 would take a process for each field. It reads byte by byte, so
    // that what can stay as it is does.
    encode: (field) =>
      Buffer.from(field)
        .toString('latin1')
        .replace(/[^ -+\--[\]-~]/g, (char) => `\\0${octal(char.charCodeAt(0))}`),
  },
  node: {
    needs: [],
    run: [process.execPath],
    signAll: `const { readFileSync } = await import('node:fs');
for (const line of readFileSync(0, 'utf8').trim().split('\\n')) {
  const fields = line.split(',').map((field) => Buffer.from(field, 'base64'));
  const texts = fields.slice(0, 5).map(String);
  console.log(sign(...texts, fields[5]));
}
`,
    verifyAll: `for (const line of readFileSync(0, 'utf8').trim().split('\\n')) {
  const [secret, body, signature] = line.split(',').map((field) => Buffer.from(field, 'base64'));
  console.log(String(verify(String(secret), body, String(signature))));
}
`,
  },
  python: {
    needs: ['python3'],
    run: ['python3'],
    signAll: `import base64, sys
for line in sys.stdin:
    *texts, body = map(base64.b64decode, line.strip().split(","))
    print(sign(*(text.decode() for text in texts), body))
`,
    verifyAll: `import base64
for line in sys.stdin:
    secret, body, signature = map(base64.b64decode, line.rstrip("\\n").split(","))
    print(str(verify(secret.decode(), body, signature.decode())).lower())
`,
  },
  php: {
    needs: ['php'],
    run: ['php'],
    signAll: `while (($line = fgets(STDIN)) !== false) {
    echo sign(...array_map('base64_decode', explode(',', trim($line)))), "\\n";
}
`,
    verifyAll: `while (($line = fgets(STDIN)) !== false) {
    echo verify(...array_map('base64_decode', explode(',', rtrim($line, "\\n")))) ? "true\\n" : "false\\n";
}
`,
  },
  ruby: {
    needs: ['ruby'],
    run: ['ruby'],
    signAll: `$stdin.each_line(chomp: true) do |line|
  *texts, body = line.split(',', -1).map { |field| field.unpack1('m') }
  puts sign(*texts.map { |text| text.force_encoding('UTF-8') }, body)
end
`,
    verifyAll: `$stdin.each_line(chomp: true) do |line|
  puts verify(*line.split(',', -1).map { |field| field.unpack1('m') })
end
`,
  },
  java: {
    needs: ['java', 'javac'],
    // Most of a short run is start-up: the first compiler alone, and the smallest collector, halve it. Performance data
    // would be left in the temporary folder.
    run: ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-XX:-UsePerfData'],
    signAll: `    public static void main(String[] arguments) throws Exception {
        for (String line : new String(System.in.readAllBytes(), UTF_8).trim().split("\\n")) {
            byte[][] f = Arrays.stream(line.split(",", -1)).map(java.util.Base64.getDecoder()::decode).toArray(byte[][]::new);
            System.out.println(sign(new String(f[0], UTF_8), new String(f[1], UTF_8), new String(f[2], UTF_8), new String(f[3], UTF_8), new String(f[4], UTF_8), f[5]));
        }
    }
}
`,
    verifyAll: `    public static void main(String[] arguments) throws Exception {
        for (String line : new String(System.in.readAllBytes(), UTF_8).split("\\n")) {
            byte[][] f = java.util.Arrays.stream(line.split(",", -1)).map(java.util.Base64.getDecoder()::decode).toArray(byte[][]::new);
            System.out.println(verify(new String(f[0], UTF_8), f[1], new String(f[2], UTF_8)));
        }
    }
}
`,
  },
};

function octal(byte: number): string {
  return byte.toString(8).padStart(3, '0');
}

/** Commands that this machine lacks for a language; says so. */
export function missingFor(id: string): string[] {
  const missing = (RUNNERS[id]?.needs ?? [id]).filter(
    (command) => spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0,
  );
  if (missing.length > 0) {
    process.stderr.write(`snippets: ${id} is not tried, there is no ${missing.join(', ')} here\n`);
  }
  return missing;
}

/** Whether to try a language. With CI set, the usual ones are tried come what may. */
export function runnable(id: string, missing: readonly string[]): boolean {
  return missing.length === 0 || (Boolean(process.env.CI) && ALWAYS_IN_CI.includes(id));
}

const ALWAYS_IN_CI = ['curl', 'node', 'python'];

/** Runs a program of a language. @returns what it printed @throws when it fails */
export async function runProgram(
  id: string,
  { file, text }: { file: string; text: string },
  { args = [], input = '', env = {} }: Partial<Running> = {},
): Promise<string> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'sandlot-snippet-'));
  try {
    const program = path.join(folder, file);
    fs.writeFileSync(program, text);
    const [command = '', ...words] = RUNNERS[id]?.run ?? [];
    const running = promisify(execFile)(command, [...words, program, ...args], {
      cwd: folder,
      env: { ...process.env, ...env },
    });
    running.child.stdin?.end(input);
    return (await running).stdout;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

interface Running {
  args: readonly string[];
  input: string | Uint8Array;
  env: Record<string, string>;
}

/** One line of the input of `signAll` and `verifyAll`. */
export function fieldsLine(id: string, fields: readonly (string | Uint8Array)[]): string {
  const encode = RUNNERS[id]?.encode ?? ((field) => Buffer.from(field).toString('base64'));
  return `${fields.map((field) => encode(Buffer.from(field))).join(',')}\n`;
}
