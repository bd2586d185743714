import { type CommandModule, command } from '../command.ts';
import { UsageError } from '../errors.ts';
import { argument, count } from '../options.ts';

const FILE = argument('<file>', 'Repro file, or - for stdin');

const show = command({
  path: 'repro show',
  summary: 'Show what a repro file contains.',
  details:
    'Prints what the file contains and what was replaced in it, then a line for each input. Does not replay it, and needs no sandbox.',
  args: { file: FILE },
  options: { input: count('--input <n>', 'Show this input in full', 1) },
  examples: ['sandlot repro show bug.repro.gz', 'sandlot repro show bug.repro.gz --input 3'],
  async run({ io, out, args: { file }, options }) {
    const { readReproFile } = await import('./repro/read-file.ts');
    const { summaryOf } = await import('../../repro/summary.ts');
    const { describeInputs, describeWhole, summaryLines } = await import(
      './repro/describe-repro.ts'
    );
    const repro = await readReproFile(io, file);
    const { inputs } = repro;
    if (options.input !== undefined) {
      const input = inputs.find(({ n }) => n === options.input);
      if (!input) throw new UsageError(`--input: the file has no input ${options.input}`);
      return out.result(input, describeWhole);
    }
    const summary = summaryOf(repro, undefined);
    out.result({ ...summary, inputs }, (_document, formatter) => [
      formatter.block(summaryLines(summary)),
      '',
      ...describeInputs(inputs, formatter),
    ]);
  },
});

export const repro: CommandModule = {
  group: 'Requests',
  nouns: { repro: 'Record what happened in a file, and replay it.' },
  commands: [show],
};
