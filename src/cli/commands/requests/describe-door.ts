import { UnreachableError } from '../../../client/control-client.ts';
import type { CommandContext } from '../../command.ts';
import { DEFAULT_URL } from '../../locate.ts';

/** The OpenAPI document that the sandbox serves, or that it would serve, where none answers. */
export async function describeDoor(
  { control, out }: Pick<CommandContext, 'control' | 'out'>,
  api: 'partner' | 'control',
): Promise<object> {
  try {
    return await control().get<object>('/openapi.json', { api });
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error;
    out.note(`${error.message}; the document names the default address`);
  }
  if (api === 'control') {
    const { controlDocument } = await import('../../../openapi/control-document.ts');
    return controlDocument(DEFAULT_URL);
  }
  const { partnerDocument } = await import('../../../openapi/partner-document.ts');
  return partnerDocument(DEFAULT_URL);
}
