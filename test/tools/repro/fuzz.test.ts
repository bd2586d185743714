import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Column } from '../../../src/kernel/columns.ts';
import { formatRequests, shownRequests } from '../../../src/tools/repro/commands/show-repro.ts';
import { describeRepro } from '../../../src/tools/repro/describe-repro.ts';
import { ReproFileError } from '../../../src/tools/repro/limits.ts';
import { openRepro } from '../../../src/tools/repro/open-file.ts';
import { NotReplayableError } from '../../../src/tools/repro/replay.ts';
import { replayFile } from '../../../src/tools/repro/replay-file.ts';
import { linesOfRepro, readRepro } from '../../../src/tools/repro/repro-lines.ts';
import { magic, orderFor } from '../../support/orders.ts';
import { sandbox } from '../../support/sandbox.ts';

const RUNS = Number(process.env.SANDLOT_TEST_FUZZ ?? 20);
/** Controls, direction marks and lone surrogates. */
const INVISIBLE = /[\p{C}\p{Zl}\p{Zp}]/u;
const HOSTILE = [
  null,
  -1,
  1.5,
  1e308,
  '',
  '../../etc/passwd',
  '\u001b[2J\u202e\u2066',
  '\ud800',
  'x'.repeat(70_000),
  "'; DROP TABLE orders; --",
  '+275760-09-13T00:00:00.000Z',
  'http://127.0.0.1:1/',
  [],
  {},
  { base64: '/w==' },
];

const mutation = fc.record({
  line: fc.nat(1_000),
  field: fc.nat(1_000),
  value: fc.oneof(fc.constantFrom(...HOSTILE), fc.jsonValue(), fc.integer()),
  how: fc.nat(9),
});
type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

/** All fields of a JSON document, as functions that set them. */
function settersOf(value: unknown): ((to: unknown) => void)[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    (to: unknown) => Object.assign(value, { [key]: to }),
    ...settersOf(inner),
  ]);
}

function mutate(lines: string[], { line, field, value, how }: Mutation): void {
  const at = line % lines.length;
  const chosen = lines[at] ?? '';
  if (how === 0) lines.splice(at, 1);
  else if (how === 1) lines.splice(at, 0, chosen);
  else if (how === 2) lines[at] = chosen.slice(0, field % chosen.length);
  else if (how === 3) lines.splice(field % lines.length, 0, ...lines.splice(at, 1));
  else if (chosen.startsWith('{')) {
    try {
      const document: unknown = JSON.parse(chosen);
      const setters = settersOf(document);
      setters[field % setters.length]?.(value);
      lines[at] = JSON.stringify(document);
    } catch {
      // An earlier change has truncated the line.
    }
  }
}

/** Joins the cells of a table. */
const formatter = {
  table: (columns: readonly Column<unknown>[], items: readonly unknown[]) =>
    items.map((item) => columns.map(({ text }) => text(item)).join(' ')).join(' '),
} as never;

test(
  'a changed file is shown, opened and replayed, or rejected with one sentence',
  async () => {
    const at = await sandbox({ inventory: 5 });
    const hook = { url: 'https://shop.example/', secret: 'whsec_of_the_shop' };
    await at.control.put('/webhooks', hook);
    await orderFor(at, magic('auto-complete', 199_900));
    await at.control.post('/clock/advance', { by: '1m' });
    const valid = linesOfRepro(readRepro((await at.exportRepro()).bytes));
    await fc.assert(
      fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), async (mutations) => {
        const lines = [...valid];
        for (const each of mutations) if (lines.length > 0) mutate(lines, each);
        try {
          const repro = readRepro(Buffer.from(`${lines.join('\n')}\n`));
          expect(JSON.stringify(describeRepro(repro))).not.toMatch(INVISIBLE);
          const requests = await shownRequests(repro.requests);
          expect(formatRequests(requests, formatter)).not.toMatch(INVISIBLE);
          expect(['reproduced', 'diverged']).toContain((await replayFile(repro)).result);
          await (await openRepro(repro, repro.head.target)).sandbox.close();
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
