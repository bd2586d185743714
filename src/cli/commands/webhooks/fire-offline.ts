import { z } from 'zod';
import type { EventType } from '../../../events/event-types.ts';
import { makeUpEventData } from '../../../events/sample-event.ts';
import { webhookSecret } from '../../../http/fields.ts';
import { parseInput } from '../../../http/input.ts';
import { formatId } from '../../../kernel/ids.ts';
import { DEFAULT_CREDENTIAL } from '../../../market/partners/default-key.ts';
import { type FireResult, fireWebhook } from '../../../webhooks/fire.ts';
import { createSender } from '../../../webhooks/send.ts';
import type { CommandLineIo } from '../../io.ts';

export interface OfflineWish {
  type: EventType;
  url: string;
  secret: string;
  partner_id: string | undefined;
  data: Record<string, unknown> | undefined;
  set: Record<string, unknown>;
  times: number;
  corrupt_signature: boolean;
}

/** What `POST /webhooks/fire` does, without a sandbox. @throws CodedError as it does */
export async function fireOffline(
  { runtime }: CommandLineIo,
  wish: OfflineWish,
): Promise<FireResult> {
  parseInput(z.object({ secret: webhookSecret() }), wish);
  const now = runtime.now();
  const sender = createSender(runtime);
  try {
    return await fireWebhook(sender.send, {
      type: wish.type,
      id: formatId('evt', String(now), 1),
      partnerId: wish.partner_id ?? DEFAULT_CREDENTIAL.partnerId,
      createdAt: now,
      data: wish.data ?? (await makeUpEventData(wish.type, now)),
      set: wish.set,
      url: wish.url,
      secret: wish.secret,
      times: wish.times,
      corruptSignature: wish.corrupt_signature,
    });
  } finally {
    sender.close();
  }
}
