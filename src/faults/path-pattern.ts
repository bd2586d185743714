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

/** Compares texts where it can: this runs for every request. */
function matchesGlob(glob: string, text: string): boolean {
  const star = glob.indexOf('*');
  if (star < 0) return glob === text;
  return text.startsWith(glob.slice(0, star)) && overlaps(glob.slice(star), [...text.slice(star)]);
}

export function canReach(pattern: PathPattern, { path }: Reachable): boolean {
  const bare = path.replaceAll(PARAMETER, ':');
  const target = pattern.declared ? [...bare] : [...bare].flatMap(freed);
  return pattern.globs.some((glob) => overlaps(glob, target));
}

/** Formats a declared path without its prefix and with parameters in braces. */
export function spellPath(path: string): string {
  const short = path.startsWith(`${VERSIONED}/`) ? path.slice(VERSIONED.length) : path;
  return short.replaceAll(/:(\w+)/g, '{$1}');
}

/** A character of a segment; any characters. */
const SOME = Symbol('some');
const MORE = Symbol('more');
type Token = string | typeof SOME | typeof MORE;

function freed(character: string): Token[] {
  return character === ':' ? [SOME, MORE] : [character];
}

/** Whether some text matches both the glob and the target. */
function overlaps(glob: string, target: readonly Token[]): boolean {
  const chars = [...glob];
  // From the end: whether the rest of the glob can match the rest of the target.
  let after: boolean[] = [];
  for (let at = chars.length; at >= 0; at -= 1) {
    const current: boolean[] = [];
    for (let to = target.length; to >= 0; to -= 1) {
      const [char, token] = [chars[at], target[to]];
      const inSegment = char !== undefined && char !== '/';
      const skipChar = after[to] ?? false;
      const skipToken = current[to + 1] ?? false;
      const both = after[to + 1] ?? false;
      if (char === undefined && token === undefined) current[to] = true;
      else if (char === '*') current[to] = skipChar || skipToken;
      else if (token === MORE) current[to] = skipToken || (inSegment && skipChar);
      else current[to] = both && (token === SOME ? inSegment : char === token);
    }
    after = current;
  }
  return after[0] ?? false;
}
