import { forbidden } from '../../kernel/errors.ts';
import type { RequestContext } from './context.ts';

/** @throws forbidden */
export function checkScope(context: RequestContext): undefined {
  const { endpoint, credential, trace } = context;
  context.isAdmitted = endpoint.scopes.some((scope) => credential.scopes.includes(scope));
  if (context.isAdmitted) return;
  trace.note({ holds: credential.scopes });
  throw forbidden(
    `this endpoint needs the scope ${endpoint.scopes.join(' or ')}; the credential holds ${credential.scopes.join(', ') || 'none'}`,
  );
}

/** @throws forbidden */
export function checkAffiliate({ credential }: RequestContext): undefined {
  if (credential.affiliate) return;
  throw forbidden('this endpoint needs a credential that is linked to an affiliate account');
}

/** @throws forbidden */
export function checkApproval({ credential }: RequestContext): undefined {
  if (credential.approved) return;
  throw forbidden('production access is not approved for this LIVE credential');
}
