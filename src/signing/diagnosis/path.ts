import {
  type Lines,
  type MistakeText,
  type SigningMistake,
  spellingWork,
  type WorkMeter,
} from './mistake.ts';

export const PATH_MISTAKES = {
  path_without_prefix: {
    summary: 'The PATH line was signed without its prefix.',
    fix: 'Sign the complete path of the URL, /api/partner and the version included.',
  },
  path_with_query: {
    summary: 'The PATH line was signed with the query appended.',
    fix: 'Sign the path alone, and put the canonical query on the line after it.',
  },
  path_full_url: {
    summary: 'The PATH line was signed as a URL with its host.',
    fix: 'Sign the path alone, from its first slash, without scheme and host.',
  },
  path_trailing_slash: {
    summary: 'The PATH line and the path sent differ in a slash at the end.',
    fix: 'Sign exactly the path that is sent; do not add or trim slashes.',
  },
  path_without_leading_slash: {
    summary: 'The PATH line was signed without its first slash.',
    fix: 'Begin the path with a slash.',
  },
  path_double_slash: {
    summary: 'The PATH line and the path sent differ in a doubled slash.',
    fix: 'Join base address and path once, with one slash, and sign the path of that URL.',
  },
  path_decoded: {
    summary: 'The PATH line was signed with its percent escapes decoded.',
    fix: 'Sign the path as it is in the URL, escapes included.',
  },
  path_re_encoded: {
    summary: 'The PATH line and the path sent are percent-encoded differently.',
    fix: 'Encode the path once, and sign the very text that is sent.',
  },
  path_lower_case: {
    summary: 'The PATH line was signed in lower case.',
    fix: 'Sign the path in the case in which it is sent.',
  },
} as const satisfies Record<string, MistakeText>;

type PathSigningMistake = SigningMistake<keyof typeof PATH_MISTAKES>;

const PREFIXES = ['/api/partner/v1', '/api/partner', '/api'];

/**
 * Wrong lines PATH.
 * @param sent the raw query, and the base URL of the client if it is known
 */
export function* pathMistakes(
  right: Lines,
  { query, baseUrl }: { query: string; baseUrl?: string | undefined },
  meter: WorkMeter,
): Generator<PathSigningMistake> {
  const { path } = right;
  const cut = PREFIXES.filter((prefix) => path.startsWith(prefix));
  const shortPaths = cut.map((prefix) => path.slice(prefix.length));
  for (const short of shortPaths) {
    yield { slugs: ['path_without_prefix'], lines: { path: short } };
    yield { slugs: ['path_without_prefix'], lines: { path: short.slice(1) }, rare: true };
  }
  yield* withQuery(['path_with_query'], path, query, right.query);
  for (const short of shortPaths) {
    yield* withQuery(['path_without_prefix', 'path_with_query'], short, query, right.query, true);
  }
  if (baseUrl) yield* fullUrls(baseUrl.replace(/(?<!\/)\/+$/, ''), right, query);

  const trimmed = path.replace(/(?<!\/)\/+$/, '');
  yield { slugs: ['path_trailing_slash'], lines: { path: `${path}/` } };
  yield { slugs: ['path_trailing_slash'], lines: { path: trimmed } };
  yield { slugs: ['path_without_leading_slash'], lines: { path: path.replace(/^\/+/, '') } };
  yield { slugs: ['path_double_slash'], lines: { path: path.replace(/\/{2,}/g, '/') } };
  for (const prefix of cut) {
    const doubled = `${prefix}/${path.slice(prefix.length)}`;
    yield { slugs: ['path_double_slash'], lines: { path: doubled }, rare: true };
  }
  meter.spend(PATH_ENCODINGS * spellingWork(path.length));
  yield* encodings(path);
  yield { slugs: ['path_lower_case'], lines: { path: path.toLowerCase() }, rare: true };
}

/** How many times `encodings` writes the path. */
const PATH_ENCODINGS = 7;

function* encodings(path: string): Generator<PathSigningMistake> {
  const sent = path.toWellFormed();
  const decoded = decodedPath(sent);
  yield { slugs: ['path_decoded'], lines: { path: decoded } };
  const respelled = [
    decoded.split('/').map(encodeURIComponent).join('/'),
    encodeURI(decoded),
    sent.split('/').map(encodeURIComponent).join('/'),
    encodeURIComponent(sent),
    sent.replace(/%[\da-f]{2}/gi, (triplet) => triplet.toLowerCase()),
    sent.replace(/%[\da-f]{2}/gi, (triplet) => triplet.toUpperCase()),
  ];
  for (const variant of respelled) {
    yield { slugs: ['path_re_encoded'], lines: { path: variant }, rare: true };
  }
}

function* withQuery(
  slugs: PathSigningMistake['slugs'],
  path: string,
  raw: string,
  canonical: string,
  rare = false,
): Generator<PathSigningMistake> {
  if (raw === '') {
    yield { slugs, lines: { path: `${path}?` }, detail: 'a question mark without a query', rare };
    return;
  }
  for (const appended of new Set([raw, canonical])) {
    for (const query of new Set(['', canonical, raw])) {
      yield { slugs, lines: { path: `${path}?${appended}`, query }, rare };
    }
  }
}

function* fullUrls(base: string, right: Lines, query: string): Generator<PathSigningMistake> {
  for (const origin of [base, base.replace(/^\w+:\/\//, '')]) {
    const url = origin + right.path;
    yield { slugs: ['path_full_url'], lines: { path: url }, rare: true };
    yield* withQuery(['path_full_url', 'path_with_query'], url, query, right.query, true);
  }
}

/** Decodes the path if possible. */
function decodedPath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
