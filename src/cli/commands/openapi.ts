import { UnreachableError } from '../../client/control-client.ts';
import { type CommandModule, command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { DEFAULT_URL } from '../locate.ts';
import { flag } from '../options.ts';

export const openapi: CommandModule = {
  group: 'Requests',
  commands: [
    command({
      path: 'openapi',
      summary: 'Print the OpenAPI 3.1 document of the partner API or the control API.',
      details:
        'Prints the document of the running sandbox, with its address. Without a sandbox, prints the document of this version of sandlot.',
      options: { control: flag('--control', 'Print the document of the control API') },
      examples: ['sandlot openapi', 'sandlot openapi --control'],
      async run(call) {
        const document = await readDocument(call, call.options.control ? 'control' : 'partner');
        call.out.result(document, (it) => JSON.stringify(it, null, 2));
      },
    }),
  ],
};

async function readDocument(
  { control, out }: CommandContext,
  api: 'partner' | 'control',
): Promise<object> {
  try {
    return await control().get<object>('/openapi.json', { api });
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    out.note(`${error.message}; the document has the default address`);
  }
  if (api === 'control') {
    const { controlDocument } = await import('../../openapi/control-document.ts');
    return controlDocument(DEFAULT_URL);
  }
  const { partnerDocument } = await import('../../openapi/partner-document.ts');
  return partnerDocument(DEFAULT_URL);
}
