/** What an endpoint of the partner API is reached by; `:name` in its path marks a parameter. */
export interface Reachable {
  method: string;
  path: string;
}

const ROOT = '/api/partner';
const VERSIONED = `${ROOT}/v1`;
const PARAMETER = /(?<=\/)(?::\w+|\{\w+\})(?=\/|$)/g;

/** The paths that a fault matches. */
export interface PathPattern {
  /** With `*` for any run of characters, and `:` for each parameter. */
  globs: readonly string[];
  /** It names parameters, so it is compared with what an endpoint declares and not with what was called. */
  declared: boolean;
}

/**
 * Reads `/orders/{public_id}`, `/orders/:id`, `/orders/ord_1`, `/me/*`: below /api/partner/v1 or /api/partner,
 * with or without that prefix.
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
 * Whether a call is on such a path.
 * @param endpoint the path that its endpoint declares
 * @param path the path that was called, parameters decoded
 */
export function isOnPath(pattern: PathPattern, endpoint: string, path: string): boolean {
  const text = pattern.declared ? endpoint.replaceAll(PARAMETER, ':') : path;
  return pattern.globs.some((glob) => standsFor(glob, text));
}

/** Every call is asked about, so what can be seen at a glance is. */
function standsFor(glob: string, text: string): boolean {
  const star = glob.indexOf('*');
  if (star < 0) return glob === text;
  return text.startsWith(glob.slice(0, star)) && canMeet(glob.slice(star), [...text.slice(star)]);
}

/** Whether any call of the endpoint can be on such a path. */
export function canReach(pattern: PathPattern, { path }: Reachable): boolean {
  const bare = path.replaceAll(PARAMETER, ':');
  const target = pattern.declared ? [...bare] : [...bare].flatMap(freed);
  return pattern.globs.some((glob) => canMeet(glob, target));
}

/** An endpoint's path as people write it: without the versioned prefix, parameters in braces. */
export function spellPath(path: string): string {
  const short = path.startsWith(`${VERSIONED}/`) ? path.slice(VERSIONED.length) : path;
  return short.replaceAll(/:(\w+)/g, '{$1}');
}

/** Any character of a segment, and any characters. */
const SOME = Symbol('some');
const MORE = Symbol('more');
type Token = string | typeof SOME | typeof MORE;

function freed(character: string): Token[] {
  return character === ':' ? [SOME, MORE] : [character];
}

/** Whether there is a text that both the glob and the target stand for. */
function canMeet(glob: string, target: readonly Token[]): boolean {
  const chars = [...glob];
  // From the end: whether what is left of the glob can meet what is left of the target.
  let after: boolean[] = [];
  for (let at = chars.length; at >= 0; at -= 1) {
    const here: boolean[] = [];
    for (let to = target.length; to >= 0; to -= 1) {
      const [char, token] = [chars[at], target[to]];
      const inSegment = char !== undefined && char !== '/';
      const skipChar = after[to] ?? false;
      const skipToken = here[to + 1] ?? false;
      const both = after[to + 1] ?? false;
      if (char === undefined && token === undefined) here[to] = true;
      else if (char === '*') here[to] = skipChar || skipToken;
      else if (token === MORE) here[to] = skipToken || (inSegment && skipChar);
      else here[to] = both && (token === SOME ? inSegment : char === token);
    }
    after = here;
  }
  return after[0] ?? false;
}
