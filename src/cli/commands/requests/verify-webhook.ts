import type { CommandContext } from '../../command.ts';
import { CheckFailedError, UsageError } from '../../failures.ts';
import { readBytes } from '../../read-data.ts';
import { judgeWebhook } from '../../webhook-signature.ts';

/** Judges the signature of a webhook. @throws CheckFailedError when it is wrong */
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
    throw new UsageError('--webhook: expected --secret, --signature and --data beside it');
  }
  const judgement = judgeWebhook(secret, await readBytes(io, '--data', data), signature);
  out.result(judgement, ({ valid }, { paint }) =>
    valid ? paint.good('✓ the signature is right') : paint.bad('✗ the signature is wrong'),
  );
  if (!judgement.valid) throw new CheckFailedError(`the signature is wrong: ${judgement.problem}`);
}
