import type { ControlCredential } from '../../../market/partners/credential.ts';
import type { Paper } from '../../output.ts';

/** A credential for people; with its secret where the answer holds one. */
export function showCredential(
  credential: ControlCredential & { secret?: string },
  { block }: Paper,
): string {
  const { secret } = credential;
  return block([
    ['key id', credential.key_id],
    ...(secret === undefined ? [] : [['secret', secret] as const]),
    ['partner', `${credential.partner} (${credential.partner_id})`],
    ['environment', credential.environment + (credential.approved ? '' : ', not approved yet')],
    ['scopes', credential.scopes.join(', ')],
    ['affiliate', credential.affiliate ? 'yes' : 'no'],
    ['world', credential.world],
    ['created', credential.created_at],
  ]);
}
