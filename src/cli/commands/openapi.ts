import { UnreachableError } from '../../client/unreachable.ts';
import type { OpenApiDocument } from '../../control/endpoint.ts';
import { type CommandModule, command } from '../command.ts';
import type { CommandContext } from '../context.ts';
import { DEFAULT_URL } from '../locate.ts';
import { flag, value } from '../options.ts';
import { oneOf } from '../parsers/values.ts';

const VERSIONS = ['3.1', '3.0'] as const;

export const openapi: CommandModule = {
  group: 'Requests',
  commands: [
    command('openapi', {
      readOnly: true,
      summary: 'Print the OpenAPI document of the partner API or the control API.',
      details:
        'Prints the document of the running sandbox, with its address. Without a sandbox, prints the document of this version of sandlot. With --as 3.0, converts it for tools that cannot read OpenAPI 3.1; webhooks are then in x-webhooks.',
      options: {
        control: flag('--control', 'Print the document of the control API'),
        as: value('--as <version>', 'Version of OpenAPI, 3.1 or 3.0', oneOf(VERSIONS)).withDefault(
          '3.1',
        ),
      },
      examples: ['sandlot openapi', 'sandlot openapi --control', 'sandlot openapi --as 3.0'],
      async run(call) {
        const { control, as } = call.options;
        let document = await readDocument(call, control ? 'control' : 'partner');
        if (as === '3.0') {
          const { toOpenApi30 } = await import('../../openapi/openapi-3-0.ts');
          document = toOpenApi30(document);
        }
        call.out.result(document, (it) => JSON.stringify(it, null, 2));
      },
    }),
  ],
};

async function readDocument(
  { control, out, tools }: CommandContext,
  api: 'partner' | 'control',
): Promise<OpenApiDocument> {
  try {
    return await control().get<OpenApiDocument>('/openapi.json', { api });
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    out.note(`${error.message}; the document has the default address`);
  }
  if (api === 'control') {
    const { controlDocument } = await import('../../openapi/control-document.ts');
    const { controlEndpoints } = await import('../../sandbox/tool.ts');
    return controlDocument(DEFAULT_URL, await controlEndpoints(tools));
  }
  const { partnerDocument } = await import('../../openapi/partner-document.ts');
  return partnerDocument(DEFAULT_URL);
}
