// The requests of the signature vectors. Their canonical strings and signatures are computed.

const LOCAL = { key_id: 'dmk_sandbox_local', secret: 'dms_sandbox_local_not_a_secret' };
const API = '/api/partner/v1';

const GET = (name, description, target, more = {}) =>
  vector(name, description, { method: 'GET', target: `${API}${target}`, ...more });
const POST = (name, description, target, body) =>
  vector(name, description, { method: 'POST', target: `${API}${target}`, ...body });
const query = (name, description, raw) => GET(`query-${name}`, description, `/orders?${raw}`);

let counter = 0;

/** Makes a vector with its own timestamp and nonce, derived from its position in the list. */
function vector(name, description, { key_id, secret, method, target, timestamp, nonce, ...body }) {
  counter += 1;
  return {
    name,
    description,
    key_id: key_id ?? LOCAL.key_id,
    secret: secret ?? LOCAL.secret,
    request: {
      method,
      target,
      timestamp: timestamp ?? String(1767225600 + counter),
      nonce: nonce ?? `00000000-0000-4000-8000-${counter.toString(16).padStart(12, '0')}`,
      ...body,
    },
  };
}

const order = {
  domain: 'lantern-harbor.com',
  expected_price: 149900,
  currency: 'USD',
  buyer: { email: 'zoe@example.com', name: 'Zoë Müller / 株式会社', country: 'DE' },
  return_url: 'https://shop.example/thanks?a=1&b=<2>',
};
const webhook = { url: 'https://partner.example/hooks/sandlot', secret: 'whs_not_a_secret' };

const RICH =
  "q=it's%20(big)!*&tld=io&tld=com&note&a=z&a%20b=x%2Fy~z%3A1%3F&B=1&a-b=%F0%9F%92%A1&a%EF%BF%BD=%2B&a%F0%9F%92%A1=%c3%a9";

export const REQUESTS = [
  // methods, paths and bodies
  GET('get-no-query', 'No query: the third line is empty, not absent.', '/orders'),
  GET(
    'get-question-mark-only',
    'A question mark and nothing after it: no query either.',
    '/orders?',
  ),
  GET('get-search', 'An ordinary search.', '/domains/search?q=coffee%20shop'),
  GET(
    'get-rich-query',
    'Order, repeats, blanks, marks, spaces, Unicode in one query.',
    `/domains/search?${RICH}`,
  ),
  GET(
    'get-method-lower-case-in-client',
    'The verb is signed in upper case however the client holds it.',
    '/orders',
    { method: 'get' },
  ),
  GET('get-with-body', 'GET carries a body: its hash is still that of nothing.', '/orders', {
    body: '{"q":"in the body"}',
  }),
  vector('head-with-body', 'HEAD likewise.', {
    method: 'HEAD',
    target: `${API}/orders?status=SETTLED`,
    body: '{"ignored":true}',
  }),
  vector('put-webhooks', 'The one path without a version segment.', {
    method: 'PUT',
    target: '/api/partner/webhooks',
    body: JSON.stringify(webhook),
  }),
  vector('delete-no-body', 'A verb this API does not use, without a body.', {
    method: 'DELETE',
    target: `${API}/links/lnk_1`,
  }),
  POST('post-order', 'JSON with Unicode, as most clients write it.', '/orders', {
    body: JSON.stringify(order),
  }),
  POST('post-order-pretty', 'The same JSON with white space: other bytes, other hash.', '/orders', {
    body: `${JSON.stringify(order, null, 2)}\n`,
  }),
  POST(
    'post-order-python-spacing',
    'White space after commas and colons is part of the body.',
    '/orders',
    {
      body: '{"domain": "lantern-harbor.com", "expected_price": 149900.0, "currency": "USD", "buyer": {"email": "zoe@example.com"}}',
    },
  ),
  POST('post-with-query', 'A body and a query.', '/quotes?trace=b&trace=a', {
    body: '{"domain":"lantern-harbor.com"}',
  }),
  POST('post-empty-body', 'No body: the hash of nothing.', '/quotes', {}),
  POST('post-empty-object', 'A body of {} is two bytes, not nothing.', '/quotes', { body: '{}' }),
  POST('post-line-endings', 'CRLF, tabs and blanks at both ends stay in the body.', '/quotes', {
    body: '\r\n\t{ "domain" : "a.com" }\r\n ',
  }),
  POST(
    'post-unicode',
    'Astral characters, combining marks and a NUL escape in the body.',
    '/refunds',
    { body: '{"public_id":"ord_1","reason":"💡 e\u0301 é \\u0000 \u2028"}' },
  ),
  POST('post-utf8-bom', 'A byte order mark belongs to the bytes.', '/quotes', {
    body: '\ufeff{"domain":"a.com"}',
  }),
  POST('post-bytes-not-utf8', 'The hash covers the bytes, valid UTF-8 or not.', '/quotes', {
    body_base64: Buffer.from([0, 255, 254, 10, 13, 128]).toString('base64'),
  }),
  GET(
    'path-idn-encoded',
    'The path is signed as sent: escapes are not decoded.',
    '/domains/m%C3%BCnchen.de',
  ),
  GET(
    'path-lower-case-escapes',
    'Escapes of the path keep their lower case, unlike those of the query.',
    '/domains/m%c3%bcnchen.de?x=%c3%bc',
  ),
  GET('path-case-kept', 'The case of the path is kept.', '/domains/Lantern-Harbor.COM'),
  GET('path-trailing-slash', 'A slash at the end is kept.', '/orders/'),
  GET('path-double-slash', 'A doubled slash is kept.', '//orders'),
  GET(
    'path-dots-and-marks',
    'Nothing of the path is normalized or encoded.',
    "/x/../domains/(a)!*'~;v=1",
  ),
  GET(
    'path-encoded-question-mark',
    'An escaped question mark does not begin the query.',
    '/domains/a%3Fb?c=d',
  ),

  // canonical query
  query('second-question-mark', 'A second question mark belongs to the value.', 'a=b?c'),
  query('blank-value', 'A blank value is kept.', 'a=&b=1'),
  query('key-without-equals', 'A key without equals sign is signed with one.', 'b&a'),
  query(
    'several-equals',
    'The first equals sign divides; the others belong to the value.',
    'a=b=c==&d==',
  ),
  query('empty-key', 'An empty key is a key, and sorts first.', 'b=1&=2&='),
  query('empty-segments', 'Nothing between two ampersands is no pair.', '&&a=1&&b=2&'),
  query('only-ampersands', 'No pair at all: an empty line.', '&&&'),
  query(
    'sorted-by-key',
    'Sorted by key: upper case before lower, the shorter first.',
    'b=1&a=1&B=1&aa=1&a1=1&_=1',
  ),
  query('ties-by-value', 'One key several times: sorted by value.', 'a=2&a=10&a=1&a=&a'),
  query('duplicates', 'Equal pairs are all kept.', 'a=1&a=1&a=1'),
  query(
    'key-before-longer-key',
    'The key decides before the value: a=z comes before a-=a.',
    'a-=a&a!=a&a=z',
  ),
  query(
    'sort-after-decoding',
    'Sorted as decoded: %7A is z, and é comes after z.',
    '%C3%A9=1&z=2&%7A=1&%61=1',
  ),
  query(
    'sort-code-points',
    'By code point: U+FFFD before U+1F4A1, though its UTF-16 unit is larger.',
    '%F0%9F%92%A1=1&%EF%BF%BD=2&%EE%80%80=3',
  ),
  query(
    'sort-code-points-in-values',
    'The same among values.',
    'k=%F0%90%80%80&k=%EF%BF%BF&k=%ED%9F%BF',
  ),
  query('already-encoded', 'Encoded already as it should be: unchanged.', 'q=a%20b%2Fc%3A%40'),
  query('needlessly-encoded', 'What needs no escape loses it.', '%71=%61%2D%2E%5F%7E%30'),
  query('lower-case-escapes', 'Escapes become upper case.', 'q=%c3%a9%2f%3a'),
  query('plus', 'A plus sign is a plus sign.', 'q=a+b&r=a%2Bb'),
  query('space', 'A space is %20.', 'q=a%20b&a%20b=1'),
  query('exclamation-mark', 'The character ! is encoded.', 'q=a!b&r=%21'),
  query('apostrophe', "The character ' is encoded.", "q=a'b&r=%27"),
  query('open-parenthesis', 'The character ( is encoded.', 'q=a(b&r=%28'),
  query('close-parenthesis', 'The character ) is encoded.', 'q=a)b&r=%29'),
  query('asterisk', 'The character * is encoded.', 'q=a*b&r=%2A'),
  query('tilde', 'The character ~ is not encoded.', 'q=a~b&r=%7E'),
  query('unreserved', 'Letters, digits and - _ . ~ stay.', 'q=AZaz09-_.~'),
  query(
    'reserved',
    'All else is encoded, whether it came so or not.',
    'q=:/?@$,;[]&r=%23%26%3D%25',
  ),
  query(
    'encoded-ampersand-and-equals',
    'Escaped & and = are text, and stay escaped.',
    'a%26b=c%3Dd&e%3D=%26',
  ),
  query('encoded-percent', 'An escaped percent sign is not decoded twice.', 'q=100%25&r=%2541'),
  query(
    'unicode-key-and-value',
    'Keys and values in several scripts.',
    '%D0%BA%D0%BB%D1%8E%D1%87=%E5%80%BC&na%C3%AFve=%F0%9F%91%A9%E2%80%8D%F0%9F%92%BB',
  ),
  query('not-normalized', 'Composed and decomposed letters are two texts.', 'q=e%CC%81&q=%C3%A9'),
  query('control-characters', 'NUL, tab, CR and LF.', 'q=%00%09%0D%0A%7F'),
  query('byte-order-mark', 'U+FEFF is a character like others.', 'q=%EF%BB%BFa'),
  query(
    'brackets',
    'Brackets of list parameters are encoded.',
    'status[]=SETTLED&status%5B%5D=EXTERNALLY_PAID',
  ),
  query(
    'long',
    'Forty pairs.',
    Array.from({ length: 40 }, (_, i) => `k${(i * 7) % 40}=v%20${i}`).join('&'),
  ),

  // malformed queries: rejected before any signature is compared
  query('malformed-percent-alone', 'A percent sign without digits.', 'q=100%'),
  query('malformed-one-digit', 'One hex digit.', 'q=%2'),
  query('malformed-no-hex', 'No hex digits.', 'q=%zz'),
  query('malformed-in-key', 'In a key.', '%G1=1'),
  query('malformed-sign-in-escape', 'Signs and blanks are no hex digits.', 'q=%+1'),
  query('malformed-lone-continuation', 'No UTF-8: a continuation byte alone.', 'q=%80'),
  query('malformed-cut-short', 'No UTF-8: a sequence cut short.', 'q=%E2%82'),
  query('malformed-overlong', 'No UTF-8: an overlong slash.', 'q=%C0%AF'),
  query('malformed-surrogate', 'No UTF-8: an encoded surrogate.', 'q=%ED%A0%80'),
  query('malformed-beyond-unicode', 'No UTF-8: beyond U+10FFFF.', 'q=%F4%90%80%80'),
  query('malformed-latin1', 'No UTF-8: é in Latin-1.', 'q=caf%E9'),

  // secrets, nonces, timestamps
  GET('secret-live', 'A LIVE credential signs the same way.', '/orders', {
    key_id: 'dmk_live_example',
    secret: 'dms_live_example_not_a_secret',
  }),
  GET('secret-unicode', 'The secret is UTF-8 text.', '/orders', {
    key_id: 'dmk_sandbox_unicode',
    secret: 'dms_sandbox_clé_☃_not_a_secret',
  }),
  GET(
    'secret-longer-than-a-block',
    'A secret of more than 64 bytes; HMAC hashes it first.',
    '/orders',
    { key_id: 'dmk_sandbox_long', secret: `dms_sandbox_${'not_a_secret_'.repeat(8)}` },
  ),
  GET('secret-looks-like-hex', 'A secret in hex digits is text all the same.', '/orders', {
    key_id: 'dmk_sandbox_hex',
    secret: 'dms_sandbox_00112233445566778899aabbccddeeff',
  }),
  GET('nonce-any-visible-ascii', 'A nonce need not be a UUID; its case counts.', '/orders', {
    nonce: 'Nonce-aB/+=~!{1}',
  }),
  GET('timestamp-long-ago', 'Signing does not look at the clock; the server does.', '/orders', {
    timestamp: '1',
  }),
];
