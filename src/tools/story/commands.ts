import { exampleId } from '../../cli/command.ts';
import { callRoute } from '../../cli/endpoints.ts';
import { flag } from '../../cli/options.ts';
import type { CommandExtension } from '../../cli/tool.ts';
import type { OrderStory } from './order-story.ts';

/** The option `--story` of `orders show`. */
export const showStory: CommandExtension = {
  options: { story: flag('--story', 'Show the story of the order as a diagram') },
  details:
    '--story draws the requests that touched the order, what operators did, and each move, event and webhook attempt. Equal steps in a row are shown once.',
  examples: [`sandlot orders show ${exampleId('ord')} --story`],
  async run({ control, args, options, out }, runCommand) {
    if (!options.story) return runCommand();
    const story = (await callRoute(control(), 'GET /orders/{id}/story', args)) as OrderStory;
    const { formatStory } = await import('./format-story.ts');
    out.result(story, formatStory);
  },
};
