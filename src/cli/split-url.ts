import { splitTarget } from '../signing/canonical.ts';

export interface SplitUrl {
  /** Scheme, host and port as spelled; empty where the url has no scheme. */
  origin: string;
  /** As spelled in the url. */
  path: string;
  /** Without `?`. */
  query: string;
}

/** The parts of a url as it is spelled; an empty path is sent as a slash. */
export function splitUrl(url: string): SplitUrl {
  const origin = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(url)?.[0] ?? '';
  const afterHost = /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*(.*)$/is.exec(url)?.[1] ?? '';
  const target = afterHost.replace(/#.*$/s, '');
  return { origin, ...splitTarget(target.startsWith('/') ? target : `/${target}`) };
}
