import { z } from 'zod';
import { parseWith, secretText } from '../../../http/fields.ts';
import { formatId } from '../../../kernel/ids.ts';
import { DEFAULT_CREDENTIAL } from '../../../market/defaults.ts';
import { KnownTexts } from '../../../redaction/redact.ts';
import {
  type FiredWebhook,
  type FireRequest,
  firedWebhook,
  fireWebhook,
  loadSampler,
} from '../../../webhooks/fire.ts';
import { createSender, withRedactedResponses } from '../../../webhooks/send.ts';
import type { CommandLineIo } from '../../io.ts';

interface OfflineInput extends Omit<FireRequest, 'id' | 'partnerId' | 'createdAt' | 'data'> {
  data: Record<string, unknown> | undefined;
}

/** Does what `POST /webhooks/fire` does, without a sandbox. @throws CodedError like the endpoint */
export async function fireOffline(
  { runtime }: CommandLineIo,
  input: OfflineInput,
): Promise<FiredWebhook> {
  // The options have checked the other fields.
  parseWith(z.object({ secret: secretText() }), input);
  const now = runtime.now();
  const sender = createSender(runtime);
  try {
    const request = {
      ...input,
      id: formatId('evt', String(now), 1),
      partnerId: DEFAULT_CREDENTIAL.partnerId,
      createdAt: now,
      data: input.data ?? (await loadSampler())(input.type, now),
    };
    const send = withRedactedResponses(sender.send, new KnownTexts([input.secret]));
    return firedWebhook.view(await fireWebhook(send, request));
  } finally {
    sender.close();
  }
}
