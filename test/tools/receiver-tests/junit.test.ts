import { expect, test } from 'vitest';
import { toJunit } from '../../../src/tools/receiver-tests/junit.ts';
import type { CheckResult } from '../../../src/tools/receiver-tests/result.ts';

/** Characters of XML 1.0, without the control characters that it discourages or that a parser changes. */
const PLAIN = /^[\t\n\x20-\x7E\xA0-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]*$/u;

const CHECK: CheckResult = {
  id: 'sig.missing',
  level: 'must',
  result: 'fail',
  reason: 'a forged delivery was accepted',
  expected: { response: 'rejected', effect: 'none' },
  deliveries: [],
  meaning: null,
  fix: null,
  reproduce: '',
};

function failed(text: string): string {
  const checks: CheckResult[] = [
    { ...CHECK, reason: text, meaning: text },
    { ...CHECK, id: 'sig.empty', result: 'unseen', reason: text },
  ];
  return toJunit({ checks, started_at: '2026-03-02T09:00:00.000Z' });
}

test('a suite has its counts, a failure its texts, and advice and unseen checks are skipped', () => {
  const valid = { status: 200, outcome: 'ok', duration_ms: 0, response: 'valid' };
  const forged = { ...valid, outcome: 'late', response: 'forgery', forged: true } as const;
  const checks: CheckResult[] = [
    { ...CHECK, deliveries: [forged, valid], meaning: 'It does not verify.', fix: 'Verify.' },
    { ...CHECK, id: 'sig.upper', result: 'advice', reason: 'accepted' },
    { ...CHECK, id: 'dup.twice', result: 'pass' },
  ];
  const xml = toJunit({ checks, started_at: '2026-03-02T09:00:00.000Z' });
  expect(xml).toContain(
    '<testsuite name="sandlot receiver-tests" tests="3" failures="1" skipped="1" time="0.000" timestamp="2026-03-02T09:00:00.000Z">',
  );
  expect(xml).toContain(
    '<failure message="a forged delivery was accepted">It does not verify.\nVerify.\nforgery</failure>',
  );
  expect(xml).toContain('<skipped message="advice: accepted"/>');
  expect(xml).toContain('<testcase classname="receiver-tests.dup" name="dup.twice" time="0.000"/>');
});

test('control characters are escaped in texts and attributes', () => {
  const xml = failed('a\r\nb\rc\u009b31m\u001b[1m\u0000\u202e\ud800<&">');
  const text = 'b\\u000dc\\u009b31m\\u001b[1m\\u0000\\u202e\\ud800&lt;&amp;&quot;&gt;';
  expect(xml).toContain(`message="a&#10;${text}">a\n${text}</failure>`);
  expect(xml).toMatch(PLAIN);
});
