import { defineCommand } from '../../command.ts';
import { flag } from '../../declare.ts';

export const openapi = defineCommand({
  path: 'openapi',
  summary: 'Print the OpenAPI 3.1 document of the partner API, or of the control door.',
  details:
    'Of the running sandbox, with its address; without one, as this version of sandlot would serve it.',
  options: { control: flag('--control', 'of the control door') },
  examples: ['sandlot openapi', 'sandlot openapi --control'],
  async run(call) {
    const { describeDoor } = await import('./describe-door.ts');
    const document = await describeDoor(call, call.options.control ? 'control' : 'partner');
    call.out.result(document, (it) => JSON.stringify(it, null, 2));
  },
});
