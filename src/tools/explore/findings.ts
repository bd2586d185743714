import fs from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { UsageError } from '../../cli/errors.ts';
import { jsonText } from '../../cli/write-file.ts';
import { messageOf } from '../../kernel/errors.ts';
import { sha256Hex } from '../../signing/signature.ts';
import { KINDS } from './kinds.ts';
import { causeOf, type Finding } from './search.ts';
import { pointOf } from './traffic.ts';

const FORMAT = 1;

const fault = z.object({ kind: z.string(), point: z.string() }).transform((saved, context) => {
  const kind = KINDS.find(({ id }) => id === saved.kind);
  const point = pointOf(saved.point);
  if (kind && point && kind.applies({ ...point, ...POSSIBLE }, ANY_SETUP)) return { kind, point };
  context.addIssue({ code: 'custom', message: `${saved.kind} cannot happen at ${saved.point}` });
  return z.NEVER;
});
/** What a point of a file may have been, and with which options. */
const POSSIBLE = { hasQuote: true, delivers: true, hasLater: true };
const ANY_SETUP = { app: '', clientTimeout: 0 };

const savedFinding = z.object({
  format: z.literal(FORMAT),
  id: z.string(),
  property: z.string(),
  sentence: z.string(),
  faults: z.array(fault).min(1).max(2),
  workload: z.array(z.string()).min(1),
});
/** A finding in a file. */
export type SavedFinding = z.output<typeof savedFinding>;

export function idOf({ property, faults }: Pick<Finding, 'property' | 'faults'>): string {
  return `exp_${sha256Hex(Buffer.from(causeOf(property, faults))).slice(0, 8)}`;
}

/** Writes a finding, the output of its commands, and the repro of its world. @returns the name of the file */
export function saveFinding(
  folder: string,
  finding: Finding,
  workload: readonly string[],
  repro: Uint8Array | undefined,
): string {
  const id = idOf(finding);
  const { property, sentence, rate, run } = finding;
  const faults = finding.faults.map(({ kind, point }) => ({ kind: kind.id, point: point.key }));
  const content = { format: FORMAT, id, property, sentence, faults, rate, workload };
  const file = path.join(folder, `${id}.json`);
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(file, jsonText(content));
  fs.writeFileSync(path.join(folder, `${id}.log`), run.output);
  if (repro) fs.writeFileSync(path.join(folder, `${id}.repro.gz`), repro);
  return file;
}

/** Reads the findings of a folder, by name. @throws UsageError for a damaged one */
export function readFindings(folder: string): SavedFinding[] {
  if (!fs.existsSync(folder)) return [];
  if (!fs.statSync(folder).isDirectory()) throw new UsageError(`--findings: ${folder} is a file`);
  const names = fs.readdirSync(folder).sort();
  return names
    .filter((name) => /^exp_.*\.json$/.test(name))
    .map((name) => readFinding('--findings', path.join(folder, name)));
}

/** @throws UsageError if it cannot be read, or is not a finding */
export function readFinding(option: string, file: string): SavedFinding {
  let reason: string;
  try {
    const { data, error } = savedFinding.safeParse(JSON.parse(fs.readFileSync(file, 'utf8')));
    if (data) return data;
    const [issue] = error.issues;
    reason = `it is not a finding: ${issue?.path.join('.')}: ${issue?.message}`;
  } catch (error) {
    reason = messageOf(error);
  }
  throw new UsageError(`${option}: cannot read ${file}: ${reason}`);
}
