import { randomUUID } from 'node:crypto';
import { DEFAULT_CREDENTIAL } from '../../../market/defaults.ts';
import { canonicalString } from '../../../signing/canonical.ts';
import { partsOf, signedHeaders } from '../../../signing/signature.ts';
import { UsageError } from '../../errors.ts';
import { readBody } from '../../read-data.ts';
import type { SignCall } from './options.ts';

export async function signOffline(call: SignCall): Promise<void> {
  const { io, out, options } = call;
  const { method, path } = call.args;
  const key = keyFor(call);
  const body = options.data === undefined ? undefined : await readBody(io, '--data', options.data);
  const request = {
    method,
    target: path,
    body,
    timestamp: options.timestamp ?? Math.floor(io.runtime.now() / 1_000),
    nonce: options.nonce ?? randomUUID(),
  };
  const document = {
    canonical_string: canonicalString(partsOf(request)),
    headers: signedHeaders(key, request),
  };
  out.result(document, ({ canonical_string, headers }, { colors, block }) => [
    colors.dim('canonical string, six lines, no final line break:'),
    canonical_string,
    '',
    colors.dim('headers:'),
    block(Object.entries(headers).map(([name, value]) => [`${name}:`, value] as const)),
  ]);
}

function keyFor({ environment, options: { keyId, secret } }: SignCall) {
  const id = keyId ?? environment.keyId ?? DEFAULT_CREDENTIAL.keyId;
  if (secret !== undefined) return { key_id: id, secret };
  if (id === environment.keyId && environment.secret !== undefined) {
    return { key_id: id, secret: environment.secret };
  }
  if (id === DEFAULT_CREDENTIAL.keyId) return { key_id: id, secret: DEFAULT_CREDENTIAL.secret };
  throw new UsageError(
    `--secret: missing; pass the secret of ${id}, which sign does not ask the sandbox for`,
  );
}
