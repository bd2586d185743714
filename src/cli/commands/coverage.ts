import { type CommandModule, command } from '../command.ts';
import { CheckFailedError } from '../errors.ts';
import { argument, count, text } from '../options.ts';

const mergeFiles = command({
  path: 'coverage merge',
  summary: 'Combine exports, for example of CI shards.',
  details:
    'Sources stay apart by run, and of one run the newest export counts. So neither the order nor the repetition of files makes a difference. Exits 1 if fewer runs than --expect are present, because a missing shard must not look like missing tests.',
  args: { files: argument<string[]>('<files...>', 'Files of coverage export') },
  options: {
    out: text('-o, --out <file>', 'File to write').asRequired(),
    expect: count('--expect <n>', 'How many runs there must be', 1),
  },
  examples: ['sandlot coverage merge shard-1.json shard-2.json -o coverage.json --expect 2'],
  async run({ io, out, args: { files }, options: { out: file, expect } }) {
    const { merge } = await import('./golive/from-exports.ts');
    const { checkTargets, writeJson } = await import('./golive/write-report.ts');
    const target = checkTargets(io, { '--out': file }).get('--out') ?? file;
    const merged = merge(io, 'files', files);
    const runs = merged.sources.length;
    if (expect !== undefined && runs < expect) {
      throw new CheckFailedError(
        `${runs} of ${expect} runs are present: ${merged.sources.map(({ label, run }) => label ?? run).join(', ')}`,
      );
    }
    await writeJson(target, merged);
    out.result({ file, runs }, () => `Wrote ${runs} ${runs === 1 ? 'run' : 'runs'} to ${file}`);
  },
});

export const coverage: CommandModule = {
  group: 'Go-live',
  nouns: { coverage: 'Behaviors that your integration was seen to handle.' },
  commands: [mergeFiles],
};
