import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { Campaign } from '../../../scripts/torture/campaign.ts';
import { Random } from '../../../scripts/torture/random.ts';
import { BIN, emptyFolder } from '../../../scripts/torture/server.ts';
import { readRepro } from '../../../src/tools/repro/read-repro.ts';
import { PLANTED_BUGS, PLANTED_IN, type PlantedBug, plant, targetIn } from './planted-bugs.ts';

interface Result {
  before: number;
  after: number;
  seconds: number;
  candidates: number;
  outcome: string;
}

const MOST_INPUTS = 8;
const MAX_SECONDS = 10;
const SHORT = ['quote used twice'];

/** Hides bugs among other operations, and minimizes their recordings with the command. */
export const campaign: Campaign = {
  name: 'minimized',
  async run({ seed, size }) {
    const dir = emptyFolder();
    const findings: string[] = [];
    const results: (Result & { name: string })[] = [];
    const isFull = size === 'full';
    const bugs = PLANTED_BUGS.filter(({ name }) => isFull || SHORT.includes(name));
    try {
      for (const bug of bugs) {
        const random = new Random('minimized', bug.name, seed);
        const operations = isFull ? random.int(100, 400) : 40;
        const replays = isFull ? 5 : 1;
        const { result, problems } = await minimize(dir, bug, { operations, replays, seed });
        if (result) results.push({ name: bug.name, ...result });
        findings.push(...problems.map((each) => `${bug.name}: ${each}`));
      }
    } finally {
      fs.rmSync(dir, { recursive: true, force: true });
    }
    const sizes = results.map(({ after }) => after).sort((a, b) => a - b);
    const median = sizes[Math.floor(sizes.length / 2)] ?? 0;
    if (median > MOST_INPUTS) findings.push(`the median is ${median} inputs`);
    return {
      figures: { bugs: results.length, 'median of inputs': median },
      findings,
      table: ['BUG | INPUTS BEFORE | AFTER | SECONDS | CANDIDATES'].concat(
        results.map((each) =>
          [each.name, each.before, each.after, each.seconds, each.candidates].join(' | '),
        ),
      ),
    };
  },
};

/** @returns what `minimize` printed, and what is wrong with it */
async function minimize(
  dir: string,
  bug: PlantedBug,
  { replays, ...options }: { operations: number; replays: number; seed: number },
): Promise<{ result: Result | undefined; problems: string[] }> {
  const file = path.join(dir, 'bug.repro.gz');
  const smallest = path.join(dir, 'bug.min.repro.gz');
  const bytes = await recorded(bug, options);
  fs.writeFileSync(file, bytes);
  const target = ['--target', String(targetIn(readRepro(bytes), bug))];
  const line = ['repro', 'minimize', file, '--force', '--json', ...target];
  const { code, stdout, stderr } = await run(line);
  if (code !== 0) return { result: undefined, problems: [`exit code ${code}: ${stderr}`] };
  const result = JSON.parse(stdout) as Result;
  const problems: string[] = [];
  if (!result.outcome.includes(bug.shows)) problems.push(`shows ${result.outcome}`);
  if (result.seconds > MAX_SECONDS) problems.push(`took ${result.seconds} s`);
  for (let n = 1; n <= replays; n += 1) {
    const replayed = await run(['repro', 'replay', smallest]);
    if (replayed.code !== 0)
      problems.push(`replay ${n} of ${replays} exited with ${replayed.code}`);
  }
  const again = await run(['repro', 'minimize', smallest, '--json']);
  const second = again.code === 0 ? (JSON.parse(again.stdout) as Result) : undefined;
  if (second?.after !== result.after) problems.push(`is cut again, to ${second?.after}`);
  // IDs may change.
  const withoutIds = (outcome = '') => outcome.replaceAll(/\b[a-z]+_\w{16}\b/g, 'id');
  if (withoutIds(second?.outcome) !== withoutIds(result.outcome)) {
    problems.push(`then shows ${second?.outcome}`);
  }
  fs.rmSync(smallest);
  fs.rmSync(path.join(dir, 'bug.min.min.repro.gz'), { force: true });
  return { result, problems };
}

async function recorded(bug: PlantedBug, options: { operations: number; seed: number }) {
  // The source has pages in JSX, which Node.js does not read.
  const built = new URL('../../../dist/index.mjs', import.meta.url).href;
  const { createSandbox } = (await import(built)) as typeof import('../../../src/index.ts');
  const at = await createSandbox({ port: false, ...PLANTED_IN, ...bug.options });
  try {
    await plant(at, bug, options);
    return (await at.exportRepro({ last: 1 })).bytes;
  } finally {
    await at.close();
  }
}

async function run(args: readonly string[]) {
  const child = spawn(process.execPath, [BIN, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr]: Buffer[][] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => stdout?.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr?.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  const textOf = (chunks: Buffer[] = []) => Buffer.concat(chunks).toString();
  return { code, stdout: textOf(stdout), stderr: textOf(stderr) };
}
