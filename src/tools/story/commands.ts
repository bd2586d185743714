import { type CommandModule, command, exampleId } from '../../cli/command.ts';
import { ExitWith } from '../../cli/errors.ts';
import { argument, flag, text } from '../../cli/options.ts';
import type { CommandExtension } from '../../cli/tool.ts';
import type { Comparison } from '../../control/comparisons.ts';
import type { OrderStory } from './order-story.ts';

const ORDER = exampleId('ord');

/** `orders show --story` and `--svg` */
export const showStory: CommandExtension = {
  options: {
    story: flag('--story', 'Show the story of the order as a diagram'),
    svg: text('--svg <file>', 'Write the story to scale as an SVG file, or - for stdout'),
  },
  details:
    '--story draws the requests that touched the order, what operators did, each move, event and webhook attempt, and what is pending. Repetitions are summarized. --svg draws the same to scale: sandbox and real time, retries and waits as lengths.',
  examples: [
    `sandlot orders show ${ORDER} --story`,
    `sandlot orders show ${ORDER} --svg story.svg`,
  ],
  async run(call, core) {
    const { control, args, options, out } = call;
    const route = `/orders/${encodeURIComponent(String(args.id))}/story`;
    if (typeof options.svg === 'string') {
      const { requireOutput, writeOutput } = await import('../../cli/write-file.ts');
      const file = options.svg;
      requireOutput(call.io, '--svg', file);
      const drawing = await control().download(`${route}.svg`);
      await writeOutput(call, file, drawing, (bytes, name) => [{ file, bytes }, `Wrote ${name}`]);
      return;
    }
    if (!options.story) return core();
    const story = await control().get<OrderStory>(route);
    const { formatStory } = await import('./format-story.ts');
    out.result(story, formatStory);
  },
};

const diffOrders = command('orders diff', {
  readOnly: true,
  summary: 'Compare the stories of two orders.',
  details:
    'Names the steps that only one order has, and those with another outcome. Times are shown as durations since the first step. IDs, times and prices always differ, and are listed apart; moves of the clock are left out. Exits with 1 if the stories differ.',
  args: {
    a: argument('<a>', 'Order ID').naming('order'),
    b: argument('<b>', 'Order ID').naming('order', ['with']),
  },
  examples: [`sandlot orders diff ${ORDER} ${exampleId('ord', 2)}`],
  async run({ control, args, out }) {
    const route = `/orders/${encodeURIComponent(args.a)}/diff`;
    const comparison = await control().get<Comparison>(route, { with: args.b });
    const { formatDifferences } = await import('./compare-stories.ts');
    out.result(comparison, formatDifferences);
    if (!comparison.same) throw new ExitWith(1);
  },
});

export const storyCommands: CommandModule = { group: 'Orders', commands: [diffOrders] };
