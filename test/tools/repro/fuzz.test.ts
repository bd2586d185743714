import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatInput, formatLines } from '../../../src/tools/repro/commands/show-repro.ts';
import { describeInputs, describeRepro } from '../../../src/tools/repro/describe.ts';
import { ReproFileError } from '../../../src/tools/repro/limits.ts';
import { openRepro } from '../../../src/tools/repro/open-file.ts';
import { placesOf } from '../../../src/tools/repro/places.ts';
import { linesOfRepro, readRepro } from '../../../src/tools/repro/read-repro.ts';
import { NotReplayableError, replayFile } from '../../../src/tools/repro/replay-file.ts';
import { magic, orderFor } from '../../support/orders.ts';
import { register } from '../../support/receiver.ts';
import { sandbox } from '../../support/sandbox.ts';

const RUNS = Number(process.env.SANDLOT_TEST_FUZZ ?? 60);

/** Lines of a file with a seed, and of one with rows. */
async function validFiles(): Promise<string[][]> {
  const at = await sandbox({ inventory: 5 });
  await register(at, 'http://127.0.0.1:1/refuses');
  await orderFor(at, magic('auto-complete', 199_900));
  await at.control.post('/clock/advance', { by: '1m' });
  await at.idle();
  await at.control.post('/worlds', { name: 'w2', fork: 'default' });
  await at.control.in('w2').post('/clock/freeze');
  const bytes = [await at.exportRepro(), await at.exportRepro({ world: 'w2' })];
  return Promise.all(
    bytes.map(async (each) => {
      const repro = await readRepro(each.bytes);
      // Without the number of lines, as a person leaves it who edits a file.
      return linesOfRepro(repro).with(
        -1,
        JSON.stringify({ kind: 'end', digest: repro.end.digest }),
      );
    }),
  );
}

/** Controls, direction marks and lone surrogates. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;

const HOSTILE = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  Number.MAX_SAFE_INTEGER,
  -8.64e15,
  '',
  '../../etc/passwd',
  '\u001b[2J\u202e\u2066',
  '\ud800',
  'x'.repeat(70_000),
  "'; DROP TABLE orders; --",
  '9999-12-31T23:59:59.999Z',
  '-271821-04-20T00:00:00.000Z',
  '+275760-09-13T00:00:00.000Z',
  'http://127.0.0.1:1/',
  [],
  {},
  [[[]]],
  { base64: '/w==' },
  { text: '\u0000' },
];

type Mutation = { line: number; field: number; value: unknown; how: number };
const mutation: fc.Arbitrary<Mutation> = fc.record({
  line: fc.nat(1_000),
  field: fc.nat(1_000),
  value: fc.oneof(fc.constantFrom(...HOSTILE), fc.jsonValue(), fc.integer()),
  how: fc.nat(12),
});

/** All fields of a JSON document, as functions that set them. */
function settersOf(value: unknown): ((to: unknown) => void)[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    (to: unknown) => Object.assign(value, { [key]: to instanceof Function ? to(inner) : to }),
    ...settersOf(inner),
  ]);
}

/** Returns another value of the same type, which a reader often takes. */
function similar(value: unknown, how: number): unknown {
  if (typeof value === 'number') return value + ([-1, 1, 7, 86_400_000][how] ?? 0);
  if (Array.isArray(value)) return how % 2 === 0 ? value.slice(1) : [...value, ...value];
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).slice(how % 2));
  }
  const time =
    typeof value === 'string' && /^\d{4}-.*Z$/.test(value) ? Date.parse(value) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time + (how - 1) * 3_600_000).toISOString();
  return typeof value === 'string'
    ? ['', `${value}x`, value.slice(1), value.toUpperCase()][how]
    : 'x';
}

function mutated(lines: string[], { line, field, value, how }: Mutation): void {
  const at = line % lines.length;
  const chosen = lines[at] ?? '';
  if (how === 0) lines.splice(at, 1);
  else if (how === 1) lines.splice(at, 0, chosen);
  else if (how === 2) lines[at] = chosen.slice(0, field % chosen.length);
  else if (how === 3) lines.splice(field % lines.length, 0, ...lines.splice(at, 1));
  else if (how === 4) lines[at] = JSON.stringify(value) ?? '';
  else {
    let document: unknown;
    try {
      document = JSON.parse(chosen);
    } catch {
      return;
    }
    const setters = settersOf(document);
    setters[field % setters.length]?.(
      how < 7 ? value : (inner: unknown) => similar(inner, line % 4),
    );
    lines[at] = JSON.stringify(document);
  }
}

const plain = { success: String, error: String, warning: String, dim: String, bold: String };
const formatter = {
  colors: plain,
  block: (rows: unknown) => JSON.stringify(rows),
  wrapAfter: (_indent: number, text: string) => text,
} as never;

test(
  'a changed file is shown and replays, or is rejected with one sentence',
  async () => {
    const files = await validFiles();
    const changes = fc.array(mutation, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.nat(1), changes, async (which, mutations) => {
        const lines = [...(files[which] ?? [])];
        for (const each of mutations) if (lines.length > 0) mutated(lines, each);
        try {
          const repro = await readRepro(Buffer.from(`${lines.join('\n')}\n`));
          const places = placesOf(repro.inputs);
          const shown = [
            JSON.stringify(describeRepro(repro)),
            ...formatLines(describeInputs(repro.inputs), formatter),
            ...repro.inputs.flatMap((input) =>
              formatInput(input, places.get(input) ?? '', formatter),
            ),
          ].join('\n');
          expect(shown.replaceAll('\n', '')).not.toMatch(INVISIBLE);
          expect(['reproduced', 'diverged']).toContain((await replayFile(repro)).result);
          const { sandbox: opened } = await openRepro(
            repro,
            Number.parseInt(repro.head.target, 10),
          );
          await opened.close();
        } catch (error) {
          if (!(error instanceof ReproFileError || error instanceof NotReplayableError))
            throw error;
          expect(error.message).not.toMatch(INVISIBLE);
          expect(error.message.length).toBeLessThan(400);
        }
      }),
      { numRuns: RUNS, endOnFailure: true },
    );
  },
  300_000 + RUNS * 5_000,
);
