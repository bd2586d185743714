import { signWebhook } from '../../signing/signature.ts';
import type { Session } from './session.ts';
import { compact, type DeliveryChanges } from './source.ts';

const PARSED = 'the body is parsed before the signature is verified';

/** Deliveries that a receiver accepts only if something parsed or read the body before it verified the signature. */
const ATTEMPTS: readonly (readonly [
  cause: string,
  changesOf: (body: string, sign: (text: string) => string) => DeliveryChanges,
])[] = [
  [
    `${PARSED}: it accepts the same delivery as text/plain. Read the raw body before a JSON parser, such as a global express.json().`,
    () => ({ contentType: 'text/plain' }),
  ],
  [
    `${PARSED}: the receiver signs "[object Object]". Read the raw body before a JSON parser, such as a global express.json().`,
    (_body, sign) => ({ signatures: [sign('[object Object]')] }),
  ],
  [
    `${PARSED}: the receiver signs an empty body. Keep the bytes when they are read for the first time.`,
    (_body, sign) => ({ signatures: [sign('')] }),
  ],
  [
    `${PARSED}: the receiver signs JSON that it wrote itself, as json.dumps() does. Use the raw body (request.body, request.get_data()).`,
    (body, sign) => ({ signatures: [sign(spaced(body))] }),
  ],
];

/** Returns the likely cause if the body was parsed before; for a receiver that accepts no valid delivery. */
export async function findParsedBody(session: Session): Promise<string | undefined> {
  const { source } = session;
  const sign = (text: string) => signWebhook(source.secret, text);
  for (const [cause, changesOf] of ATTEMPTS) {
    const event = source.event();
    const changes = changesOf(compact(event), sign);
    const [attempt] = await session.send([source.delivery(event, { ...changes, forged: true })]);
    if (attempt?.status === 200) return cause;
    if (attempt === undefined || attempt.status === null) return undefined;
  }
  return undefined;
}

/** Adds the spaces that Python writes after commas and colons. No text of the event contains `",` or `":`. */
function spaced(json: string): string {
  return json.replace(/("|\d|\}),"/g, '$1, "').replaceAll('":', '": ');
}
