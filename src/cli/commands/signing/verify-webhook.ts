import type { CommandContext } from '../../context.ts';
import { CheckFailedError, UsageError } from '../../errors.ts';
import { readBytes } from '../../read-data.ts';
import { checkWebhookSignature } from '../webhook-signature.ts';

export async function verifyWebhook(
  { io, out }: CommandContext,
  given: {
    secret: string | undefined;
    signature: string | undefined;
    data: string | undefined;
  },
): Promise<void> {
  const { secret, signature, data } = given;
  if (secret === undefined || signature === undefined || data === undefined) {
    throw new UsageError('--webhook: missing --secret, --signature or --data; pass all three');
  }
  const result = checkWebhookSignature(secret, await readBytes(io, '--data', data), signature);
  out.result(result, ({ valid }, { colors }) =>
    valid ? colors.success('✓ the signature is valid') : colors.error('✗ the signature is invalid'),
  );
  if (!result.valid) throw new CheckFailedError(`the signature is invalid: ${result.problem}`);
}
