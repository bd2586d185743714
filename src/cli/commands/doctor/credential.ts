import type { CommandContext } from '../../command.ts';
import { send, signingKey, signNow } from '../../partner-call.ts';
import { broken, doubtful, type Finding, fine, messageOf } from './finding.ts';

/** Whether the key that commands sign with is let in. The request reads, and counts as one. */
export async function checkCredential(context: CommandContext): Promise<Finding> {
  try {
    const key = await signingKey(context, undefined);
    const target = '/api/partner/v1/orders?limit=1';
    const response = await send(context, signNow(context, key, { method: 'GET', target }));
    if (response.ok) return fine('credential', `a request signed by ${key.key_id} is answered`);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    const detail = `${key.key_id}: ${error.code}: ${error.message}`;
    // Who is told that has got past the signature.
    if (response.status === 403 || response.status === 429) {
      return doubtful(
        'credential',
        detail,
        'the signature is right; see: sandlot credentials list',
      );
    }
    return broken(
      'credential',
      detail,
      'see which there are with "sandlot credentials list", and set SANDLOT_KEY_ID and SANDLOT_SECRET to one, or neither',
    );
  } catch (error) {
    return broken('credential', messageOf(error), 'mint one with: sandlot credentials create');
  }
}
