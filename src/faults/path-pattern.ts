/** The method and path of an endpoint; `:name` marks a parameter. */
export interface Reachable {
  method: string;
  path: string;
}

const ROOT = '/api/partner';
const VERSIONED = `${ROOT}/v1`;
const PARAMETER = /(?<=\/)(?::\w+|\{\w+\})(?=\/|$)/g;

interface PathPattern {
  /** `*` stands for any characters, and `:` for a parameter. */
  globs: readonly string[];
  /** It contains parameters, so it is compared with the declared path instead of the requested one. */
  declared: boolean;
}

/**
 * Parses `/orders/{public_id}`, `/orders/:id`, `/orders/ord_1` or `/me/*`, with or without the prefix /api/partner/v1 or
 * /api/partner.
 */
export function readPathPattern(text: string): PathPattern {
  const bare = text.replaceAll(PARAMETER, ':');
  const rooted = /^[/*]/.test(bare) ? bare : `/${bare}`;
  return {
    globs: [rooted, VERSIONED + rooted, ROOT + rooted],
    declared: bare !== text,
  };
}

/**
 * Whether a request matches the pattern.
 * @param endpoint declared path
 * @param path requested path, parameters decoded
 */
export function isOnPath(pattern: PathPattern, endpoint: string, path: string): boolean {
  const text = pattern.declared ? endpoint.replaceAll(PARAMETER, ':') : path;
  return pattern.globs.some((glob) => matchesGlob(glob, text));
}

/** Compares in linear time. */
function matchesGlob(glob: string, text: string): boolean {
  const [first = '', ...parts] = glob.split('*');
  const last = parts.pop();
  if (last === undefined) return glob === text;
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of parts) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return at + last.length <= text.length;
}

/** Whether the pattern can match a request to an endpoint, by what is before its first `*`. */
export function canReach({ globs, declared }: PathPattern, { path }: Reachable): boolean {
  const target = path.replaceAll(PARAMETER, ':').split('/');
  return globs.some((glob) => {
    const [text = '', ...rest] = glob.split('*');
    const parts = text.split('/');
    const begun = rest.length > 0 ? parts.pop() : undefined;
    const segments = target.slice(0, parts.length);
    return (
      parts.every((part, at) => isSegment(part, segments[at], declared)) &&
      (begun === undefined
        ? parts.length === target.length
        : isBeginning(begun, target[parts.length], declared))
    );
  });
}

function isSegment(part: string, segment: string | undefined, declared: boolean): boolean {
  return part === segment || (segment === ':' && !declared && part !== '');
}

function isBeginning(part: string, segment: string | undefined, declared: boolean): boolean {
  return segment?.startsWith(part) || (segment === ':' && !declared);
}

/** Formats a declared path without its prefix and with parameters in braces. */
export function spellPath(path: string): string {
  const short = path.startsWith(`${VERSIONED}/`) ? path.slice(VERSIONED.length) : path;
  return short.replaceAll(/:(\w+)/g, '{$1}');
}
