/** Bodies that cannot be read as what they should be. */
export const BROKEN_BODIES: Readonly<Record<string, string | Buffer>> = {
  'no UTF-8': Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]),
  'half a character': Buffer.from('{"domain":"山"}').subarray(0, 12),
  'a byte order mark': '\ufeff{"domain":"a.test"}',
  'half a document': '{"domain":"a.te',
  'no object': 'null',
  'a NUL': '{"domain":"a\u0000"}\u0000',
  'lone surrogates': '{"domain":"\\ud800"}',
  'deep nesting': `{"domain":${'['.repeat(5_000)}${']'.repeat(5_000)}}`,
  'huge numbers': '{"domain":1e999,"expected_price":9007199254740993}',
  'equal names': '{"domain":"a.test","domain":"b.test","__proto__":{"a":1}}',
  'too many bytes': 'x'.repeat(300_000),
};
