import { encodeStrict } from '../../../signing/canonical.ts';

/** A request target with further query pairs behind those it has. */
export function withQuery(target: string, pairs: readonly (readonly [string, string])[]): string {
  if (pairs.length === 0) return target;
  const query = pairs.map(([name, value]) => `${encodeStrict(name)}=${encodeStrict(value)}`);
  return `${target}${target.includes('?') ? '&' : '?'}${query.join('&')}`;
}

/** The versioned form of a path that lacks its prefix; nothing for one that has it. */
export function withPrefix(target: string): string | undefined {
  return target.startsWith('/api/') || target.startsWith('/_sandbox')
    ? undefined
    : `/api/partner/v1${target}`;
}
