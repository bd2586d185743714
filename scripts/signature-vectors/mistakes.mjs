// Ways in which clients sign wrongly, a line each. `m` changes the layout of the six lines, `k` the key.
import { createHash, createHmac } from 'node:crypto';
import {
  bodyBytes,
  byBytes,
  decodedPairs,
  percentEncode,
  sha256,
  sortPairs,
  split,
} from './reference.mjs';

export const OTHER_SECRET = 'dms_sandbox_other_not_a_secret';
export const BASE_URL = 'http://127.0.0.1:4010';

/** The vectors to which every mistake is applied. */
export const GROUND = [
  'get-rich-query',
  'post-order',
  'put-webhooks',
  'get-no-query',
  'path-idn-encoded',
  'post-with-query',
  'post-order-python-spacing',
  'post-order-pretty',
  'post-unicode',
  'post-empty-body',
  'get-with-body',
  'path-double-slash',
  'path-case-kept',
  'path-trailing-slash',
  'query-plus',
  'query-apostrophe',
  'secret-looks-like-hex',
  'nonce-any-visible-ascii',
];

const hmacOf = (key, message, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(message).digest();
const header = (digest) => `v1=${digest.toString('hex')}`;

/** Returns the wrong signatures of a vector: `[mistakes, signature, signed]`. */
export function mistakenSignatures({ key_id, secret, request, expected }) {
  const out = [];
  const [path, raw] = split(request.target);
  const right = expected.canonical_string;
  const digest = hmacOf(secret, right);
  const lines = right.split('\n');
  const [M, P, Q, T, N, B] = lines;
  const body = bodyBytes(request);
  const text = body.toString('utf8');

  const add = (slugs, signature, signed) => out.push([[slugs].flat(), signature, signed]);
  const m = (slugs, signed, key = secret) => add(slugs, header(hmacOf(key, signed)), signed);
  const k = (slug, key) => add(slug, header(hmacOf(key, right)), right);
  const at = (index) => (slugs, line) => m(slugs, lines.with(index, line).join('\n'));
  const [method, pathLine, query, timestamp, nonce, hash] = [0, 1, 2, 3, 4, 5].map(at);

  method('method_lower_case', M.toLowerCase());
  for (const verb of ['GET', 'POST', 'PUT']) method('method_other', verb);

  timestamp('timestamp_milliseconds', `${T}000`);
  timestamp('timestamp_milliseconds', `${T}427`);
  timestamp('timestamp_with_fraction', `${T}.0`);
  timestamp('timestamp_as_date', new Date(T * 1000).toISOString());
  timestamp('timestamp_as_date', `${new Date(T * 1000).toISOString().slice(0, 19)}Z`);
  timestamp('timestamp_read_twice', String(Number(T) + 1));
  timestamp('timestamp_read_twice', String(Number(T) - 1));
  nonce('nonce_respelled', N.toUpperCase());
  nonce('nonce_respelled', N.replace(/-/g, ''));

  for (const prefix of ['/api/partner/v1', '/api/partner']) {
    if (!path.startsWith(prefix)) continue;
    pathLine('path_without_prefix', path.slice(prefix.length));
    if (raw) {
      const short = `${path.slice(prefix.length)}?${raw}`;
      m(['path_without_prefix', 'path_with_query'], [M, short, '', T, N, B].join('\n'));
    }
  }
  if (raw) {
    m('path_with_query', [M, `${path}?${raw}`, '', T, N, B].join('\n'));
    m('path_with_query', [M, `${path}?${Q}`, Q, T, N, B].join('\n'));
    m(
      ['path_full_url', 'path_with_query'],
      [M, `${BASE_URL}${path}?${raw}`, '', T, N, B].join('\n'),
    );
  } else {
    pathLine('path_with_query', `${path}?`);
  }
  pathLine('path_full_url', BASE_URL + path);
  pathLine('path_trailing_slash', path.endsWith('/') ? path.slice(0, -1) : `${path}/`);
  pathLine('path_without_leading_slash', path.slice(1));
  pathLine('path_double_slash', path.split('//').join('/'));
  pathLine('path_decoded', decodeURIComponent(path));
  pathLine('path_re_encoded', encodeURIComponent(path));
  pathLine(
    'path_re_encoded',
    path.toLowerCase().includes('%') ? path.replace(/%../g, (e) => e.toLowerCase()) : path,
  );
  pathLine('path_lower_case', path.toLowerCase());

  queryMistakes(query, raw);

  hash('body_hash_left_empty', '');
  hash('body_hash_upper_case', B.toUpperCase());
  hash('body_hash_base64', Buffer.from(B, 'hex').toString('base64'));
  hash('body_hash_base64', Buffer.from(B, 'hex').toString('base64url'));
  const hashed = M === 'GET' || M === 'HEAD' ? Buffer.alloc(0) : body;
  hash('body_hash_other_algorithm', createHash('sha512').update(hashed).digest('hex'));
  hash('body_hash_other_algorithm', createHash('sha1').update(hashed).digest('hex'));
  if (hashed.length === 0) {
    hash('empty_body_as_braces', sha256('{}'));
    hash('empty_body_as_quotes', sha256('""'));
    hash('empty_body_as_brackets', sha256('[]'));
    hash('empty_body_as_null', sha256('null'));
    hash('empty_body_as_undefined', sha256('undefined'));
    hash('body_trailing_newline', sha256('\n'));
    if (body.length > 0) hash('body_of_get_hashed', sha256(body));
  } else {
    hash('body_instead_of_hash', text);
    hash('body_ignored', sha256(''));
    hash('body_trailing_newline', sha256(`${text}\n`));
    hash('body_trailing_newline', sha256(text.trimEnd()));
    hash('body_stringified_twice', sha256(JSON.stringify(text)));
    hash('body_in_other_charset', sha256(Buffer.from(text, 'latin1')));
    hash('body_in_other_charset', sha256(Buffer.from(text, 'utf16le')));
    hash('body_in_other_charset', sha256(`\ufeff${text}`));
    for (const spelling of otherSpellings(text)) hash('body_re_serialized', sha256(spelling));
  }

  m('trailing_newline', `${right}\n`);
  m('lines_joined_by_crlf', lines.join('\r\n'));
  m(['lines_joined_by_crlf', 'trailing_newline'], `${lines.join('\r\n')}\r\n`);
  m('lines_joined_by_backslash_n', lines.join(String.raw`\n`));
  m('lines_joined_by_nothing', lines.join(''));
  m('lines_joined_by_space', lines.join(' '));
  m('lines_joined_by_pipe', lines.join('|'));
  m('lines_joined_otherwise', lines.join(':'));
  m('lines_joined_otherwise', lines.join('&'));
  m('method_line_missing', [P, Q, T, N, B].join('\n'));
  m('path_line_missing', [M, Q, T, N, B].join('\n'));
  m('query_line_missing', [M, P, T, N, B].join('\n'));
  m('timestamp_line_missing', [M, P, Q, N, B].join('\n'));
  m('nonce_line_missing', [M, P, Q, T, B].join('\n'));
  m('body_hash_line_missing', [M, P, Q, T, N].join('\n'));
  m('several_lines_missing', [T, N, B].join('\n'));
  m('several_lines_missing', [M, P, T, B].join('\n'));
  m('timestamp_and_nonce_swapped', [M, P, Q, N, T, B].join('\n'));
  m('lines_in_another_order', [T, N, M, P, Q, B].join('\n'));
  m('lines_in_another_order', [B, N, T, Q, P, M].join('\n'));

  k('secret_of_other_credential', OTHER_SECRET);
  k('secret_missing', '');
  k('secret_missing', 'undefined');
  k('secret_is_key_id', key_id);
  k('secret_with_white_space', `${secret}\n`);
  k('secret_with_white_space', ` ${secret}`);
  k('secret_quoted', `"${secret}"`);
  const tail = secret.split('_').at(-1);
  k('secret_without_prefix', tail);
  k(
    'secret_decoded_as_base64',
    Buffer.from(secret.replace(/-/g, '+').replace(/_/g, '/'), 'base64'),
  );
  if (/^[0-9a-f]{2,}$/.test(tail)) {
    k('secret_decoded_as_hex', Buffer.from(tail, 'hex'));
    k('secret_decoded_as_base64', Buffer.from(tail, 'base64'));
  }

  add('v1_missing', digest.toString('hex'), right);
  add('signature_prefix_other', `sha256=${digest.toString('hex')}`, right);
  add('signature_base64', `v1=${digest.toString('base64')}`, right);
  add(['signature_base64', 'v1_missing'], digest.toString('base64'), right);
  add('signature_base64url', `v1=${digest.toString('base64url')}`, right);
  add(
    'signature_base64_of_hex',
    `v1=${Buffer.from(digest.toString('hex')).toString('base64')}`,
    right,
  );
  add('signature_upper_case_hex', `v1=${digest.toString('hex').toUpperCase()}`, right);
  add('sha256_without_hmac', `v1=${sha256(secret + right)}`);
  add('sha256_without_hmac', `v1=${sha256(right)}`);
  add('hmac_arguments_swapped', header(hmacOf(right, secret)));
  add('hmac_other_hash', header(hmacOf(secret, right, 'sha1')), right);
  add('hmac_other_hash', header(hmacOf(secret, right, 'sha512')), right);
  add('canonical_string_hashed_first', header(hmacOf(secret, sha256(right))));
  if (body.length > 0) add('only_body_signed', header(hmacOf(secret, body)));

  // two at once
  m(
    ['path_without_prefix', 'trailing_newline'],
    `${[M, path.replace('/api/partner/v1', ''), Q, T, N, B].join('\n')}\n`,
  );
  m(['method_lower_case', 'lines_joined_by_crlf'], [M.toLowerCase(), P, Q, T, N, B].join('\r\n'));
  const inMilliseconds = [M, P, Q, `${T}000`, N, B].join('\n');
  add(
    ['timestamp_milliseconds', 'signature_base64'],
    `v1=${hmacOf(secret, inMilliseconds).toString('base64')}`,
    inMilliseconds,
  );
  m(['secret_of_other_credential', 'trailing_newline'], `${right}\n`, OTHER_SECRET);
  m(['secret_with_white_space', 'query_line_missing'], [M, P, T, N, B].join('\n'), `${secret}\n`);
  return out;
}

function queryMistakes(query, raw) {
  if (raw === '') return;
  const sent = decodedPairs(raw);
  const sorted = sortPairs(sent);
  const by = (compare) => sent.toSorted(compare);
  const write = (pairs, encode = percentEncode) =>
    pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&');
  const leave = (left) => (text) => percentEncode(text, left);
  const form = (text) => percentEncode(text, '*').replace(/%20/g, '+').replace(/~/g, '%7E');
  const lower = (text) => percentEncode(text).replace(/%../g, (e) => e.toLowerCase());
  const plusRead = decodedPairs(raw.replace(/\+/g, '%20'));

  query('query_left_out', '');
  query('query_with_question_mark', `?${write(sorted)}`);
  query('query_with_question_mark', `?${raw}`);
  query('query_unsorted', write(sent));
  query('query_ties_unsorted', write(by((a, b) => byBytes(a[0], b[0]))));
  query('query_sorted_differently', write(sorted.toReversed()));
  query('query_sorted_differently', write(by((a, b) => (write([a]) < write([b]) ? -1 : 1))));
  query('query_sorted_differently', write(by((a, b) => (a.join('=') < b.join('=') ? -1 : 1))));
  query('query_duplicate_keys_dropped', write(sortPairs(Object.entries(Object.fromEntries(sent)))));
  query('query_blank_values_dropped', write(sorted.filter(([, value]) => value !== '')));
  query('query_blank_without_equals', write(sorted).replace(/=(?=&|$)/g, ''));
  query('query_exclamation_mark_unencoded', write(sorted, leave('!')));
  query('query_apostrophe_unencoded', write(sorted, leave("'")));
  query('query_open_parenthesis_unencoded', write(sorted, leave('(')));
  query('query_close_parenthesis_unencoded', write(sorted, leave(')')));
  query('query_asterisk_unencoded', write(sorted, leave('*')));
  query('query_marks_unencoded', write(sorted, encodeURIComponent));
  query('query_marks_unencoded', write(sorted, leave('()')));
  query('query_space_as_plus', write(sorted).replace(/%20/g, '+'));
  query('query_slash_unencoded', write(sorted, leave('/')));
  query('query_reserved_unencoded', write(sorted, leave(':')));
  query('query_reserved_unencoded', write(sorted, encodeURI));
  query('query_tilde_encoded', write(sorted).replace(/~/g, '%7E'));
  query('query_form_encoded', write(sorted, form));
  query('query_form_encoded', new URLSearchParams(raw).toString());
  query('query_percent_lower_case', write(sorted, lower));
  query(
    'query_double_encoded',
    write(sorted, (text) => percentEncode(percentEncode(text))),
  );
  query(
    'query_decoded',
    write(sorted, (text) => text),
  );
  query('query_raw', raw);
  query('query_not_re_encoded', raw.split('&').sort().join('&'));
  query(['query_unsorted', 'query_marks_unencoded'], write(sent, encodeURIComponent));
  query(['query_unsorted', 'query_percent_lower_case'], write(sent, lower));
  if (raw.includes('+')) {
    query('query_plus_as_space', write(sortPairs(plusRead)));
    query('query_space_as_plus', write(sortPairs(plusRead)).replace(/%20/g, '+'));
  }
}

function otherSpellings(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return [];
  }
  const compact = JSON.stringify(value);
  const keysSorted = JSON.stringify(value, (_, inner) =>
    inner && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(
          Object.keys(inner)
            .sort()
            .map((key) => [key, inner[key]]),
        )
      : inner,
  );
  const strings = /"(?:[^"\\]|\\.)*"/g;
  const inStrings = (json, change) => json.replace(strings, change);
  const escaped = (json) =>
    inStrings(json, (s) =>
      s.replace(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
    );
  const spaced = (json) =>
    json.replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) => (token.length === 1 ? `${token} ` : token));
  return [
    compact,
    keysSorted,
    spaced(compact),
    escaped(spaced(compact)), // Python
    escaped(spaced(keysSorted)), // Python, sort_keys
    escaped(compact).replace(/\//g, '\\/'), // PHP
    compact.replace(/\//g, '\\/'), // PHP, unescaped Unicode
    compact.replace(/[<>&]/g, (c) => `\\u00${c.charCodeAt(0).toString(16)}`), // Go
    JSON.stringify(value, null, 2),
    JSON.stringify(value, null, 4),
    `${compact}\n`,
    `${JSON.stringify(value, null, 2)}\n`,
  ];
}
