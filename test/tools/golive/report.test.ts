import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeGate } from '../../../src/tools/golive/describe.ts';
import {
  exportSchema,
  type GoliveExport,
  mergeExports,
} from '../../../src/tools/golive/export-file.ts';
import { type Gate, gateSchema } from '../../../src/tools/golive/gate.ts';
import { renderHtml } from '../../../src/tools/golive/html.tsx';
import { ITEMS } from '../../../src/tools/golive/items.ts';
import { makeReport } from '../../../src/tools/golive/make-report.ts';
import { type Observation, Observations } from '../../../src/tools/golive/observation.ts';
import { countByGroup, type Report } from '../../../src/tools/golive/report.ts';
import { renderJunit } from '../../../src/tools/golive/write-report.ts';
import { exportOf, NOW, observation, source } from './exports.ts';

const IDS = ITEMS.map(({ id }) => id);
const reportOf = (observations: Observation[], gate?: Partial<Gate>): Report =>
  makeReport({
    sources: [source(observations)],
    ...(gate && {
      gate: {
        file: 'gate.json',
        content: gateSchema(IDS).parse({ items_version: 1, require: [], ...gate }),
      },
    }),
    sandlot: '0.1.0',
    now: NOW,
  });
const itemOf = (report: Report, id: string) => report.items.find((item) => item.id === id);

describe('a status', () => {
  test('is not_applicable until its feature is used, then unmet, then met', () => {
    expect(itemOf(reportOf([]), 'sale.key_per_sale')?.status).toBe('not_applicable');
    const used = observation('call.postOrder', 'used');
    expect(itemOf(reportOf([used]), 'sale.key_per_sale')?.status).toBe('unmet');
    const met = observation('sale.key_per_sale', 'met');
    expect(itemOf(reportOf([used, met]), 'sale.key_per_sale')?.status).toBe('met');
  });

  test('is contradicted even if it is met later', () => {
    const report = reportOf([
      observation('sale.lost_response', 'contradicted'),
      observation('sale.lost_response', 'met', { count: 50, last_at: NOW + 1_000 }),
    ]);
    expect(itemOf(report, 'sale.lost_response')).toMatchObject({
      status: 'contradicted',
      count: 50,
    });
  });

  test('of an event needs webhooks, and a sale or a brokerage case', () => {
    const webhooks = observation('hook.status_200', 'used');
    const status = (more: Observation[]) =>
      itemOf(reportOf([webhooks, ...more]), 'event.brokerage.case_completed')?.status;
    expect(status([observation('call.postOrder', 'used')])).toBe('not_applicable');
    expect(status([observation('call.postBrokerage', 'used')])).toBe('unmet');
  });

  test('ignores observations with another revision, and names them', () => {
    const report = reportOf([
      observation('error.not_found', 'met', { rev: 2 }),
      observation('error.of_a_newer_version', 'met'),
    ]);
    expect(itemOf(report, 'error.not_found')?.status).toBe('unmet');
    expect(report.ignored).toEqual(['error.not_found', 'error.of_a_newer_version']);
  });
});

test.each([
  [1, ['0.0', '2.0', '3.0']],
  [2, ['0.0', '0.1', '3.0', '3.1']],
  [3, ['3.0', '3.1', '3.2']],
])('of four observations with %i pieces of evidence each, whole ones are kept', (size, kept) => {
  const [piece] = observation('retry.after_429', 'met').evidence;
  const seen = [0, 1, 2, 3].map((n) =>
    observation('retry.after_429', 'met', {
      evidence: Array.from(
        { length: size },
        (_, at) => ({ ...piece, text: `${n}.${at}` }) as never,
      ),
    }),
  );
  const combined = new Observations(seen).find('retry.after_429', 'met');
  expect(combined?.count).toBe(4);
  expect(combined?.evidence.map(({ text }) => text)).toEqual(kept);
});

describe('a gate', () => {
  const met = observation('error.not_found', 'met');

  test('without a file requires every must item that applies', () => {
    const { gate } = reportOf([met]);
    expect(gate.passed).toBe(false);
    expect(gate.required).toContain('error.conflict');
    expect(gate.required).not.toContain('error.forbidden');
    expect(gate.failed).not.toContain('error.not_found');
  });

  test('requires what it names, also of a feature that is not used', () => {
    expect(reportOf([met], { require: ['error.not_found'] }).gate.passed).toBe(true);
    const { gate } = reportOf([met], { require: ['error.not_found', 'sale.key_per_sale'] });
    expect(gate).toMatchObject({ passed: false, failed: ['sale.key_per_sale'] });
  });

  test('fails by a contradicted must item that it does not require, not by one of advice', () => {
    const wrong = (id: string) => reportOf([observation(id, 'contradicted')], {}).gate;
    expect(wrong('retry.after_429')).toMatchObject({ passed: false, failed: ['retry.after_429'] });
    expect(wrong('retry.skips_4xx').passed).toBe(true);
  });

  test('fails by a declared feature that is not used, and by a used one that must not be', () => {
    const used = observation('call.postOrder', 'used');
    const { gate } = reportOf([used], { uses: ['quotes'], not_used: ['sales', 'brokerage'] });
    expect(gate.failed).toEqual(['feature:quotes', 'feature:sales']);
  });

  test('waives an open item until the end of its day, and a contradicted one only if told so', () => {
    const waive = (more: object) => [{ id: 'retry.after_429', reason: 'not yet', ...more }];
    const check = (observations: Observation[], more: object) =>
      reportOf(observations, {
        require: ['retry.after_429'],
        waive: waive(more) as Gate['waive'],
      }).gate;
    expect(check([], {})).toMatchObject({ passed: true, waived: [{ reason: 'not yet' }] });
    expect(check([], { until: '2026-03-02' }).passed).toBe(true);
    expect(check([], { until: '2026-03-01' })).toMatchObject({
      passed: false,
      expired: [{ id: 'retry.after_429', until: '2026-03-01' }],
    });
    const contradicted = [observation('retry.after_429', 'contradicted')];
    expect(check(contradicted, {}).passed).toBe(false);
    expect(check(contradicted, { even_contradicted: true }).passed).toBe(true);
  });
});

test.each([
  ['without a gate', undefined],
  ['with a gate that requires little', { require: ['sale.lost_response', 'money.payout_read'] }],
  ['with a waiver', { require: [], waive: [{ id: 'sale.lost_response', reason: 'x' }] }],
])('the first line counts what the groups count, %s', (_, gate) => {
  const report = reportOf(
    [
      ...['call.postOrder', 'hook.status_200'].map((id) => observation(id, 'used')),
      ...['call.postOrder', 'error.forbidden', 'hook.in_time'].map((id) => observation(id, 'met')),
      observation('request.known_fields', 'contradicted'),
    ],
    gate as Partial<Gate>,
  );
  const [required, others] = Array.from(
    describeGate(report).matchAll(/(\d+) of (\d+)/g),
    ([, met, of]) => ({ met: Number(met), of: Number(of) }),
  );
  const groups = countByGroup(report);
  const sum = (name: 'met' | 'applying') => groups.reduce((total, each) => total + each[name], 0);
  expect((required?.met ?? 0) + (others?.met ?? 0)).toBe(sum('met'));
  expect((required?.of ?? 0) + (others?.of ?? 0)).toBe(sum('applying'));
});

describe('merging exports', () => {
  const observations = fc.array(
    fc.record({
      item: fc.constantFrom(...IDS.slice(0, 5)),
      result: fc.constantFrom('used' as const, 'met' as const, 'contradicted' as const),
      count: fc.integer({ min: 1, max: 2_000 }),
    }),
    { maxLength: 5 },
  );
  const exported = fc
    .record({
      run: fc.constantFrom('a', 'b', 'c'),
      made_at: fc.integer({ min: 0, max: 3 }),
      observations,
    })
    .map(({ observations: found, ...more }) =>
      exportOf(
        source(
          found.map(({ item, result, count }) => observation(item, result, { count })),
          more,
        ),
      ),
    );

  test('gives the same report in any order, grouping and repetition', () => {
    const reported = (merged: GoliveExport) =>
      makeReport({ sources: merged.sources, sandlot: '0.1.0', now: NOW });
    fc.assert(
      fc.property(fc.array(exported, { minLength: 1, maxLength: 8 }), fc.nat(8), (files, at) => {
        const whole = mergeExports(files, '0.1.0');
        const other = [...files.slice(at), ...files.slice(0, at), ...files.slice(0, 2)].reverse();
        const parts = [other.slice(0, at), other.slice(at)].filter((part) => part.length > 0);
        const inParts = mergeExports(
          parts.map((part) => mergeExports(part, '0.1.0')),
          '0.1.0',
        );
        expect(reported(inParts)).toEqual(reported(whole));
        expect(exportSchema.parse(JSON.parse(JSON.stringify(whole)))).toEqual(whole);
      }),
    );
  });

  test('keeps items that this version does not know', () => {
    const newer = source([observation('error.new', 'met')]);
    const merged = mergeExports([exportOf(newer)], '0.1.0');
    expect(merged.sources[0]?.observations).toHaveLength(1);
  });
});

const HOSTILE = `<script>alert(1)</script>\u001b[31m"'&`;
const hostile = reportOf([
  observation('call.postOrder', 'used'),
  observation('error.not_found', 'met'),
  observation('sale.lost_response', 'contradicted', {
    evidence: [{ kind: 'request', id: null, world: HOSTILE, at: NOW, text: HOSTILE }],
  }),
]);

test('the HTML report is one small file without scripts, and escapes all text', async () => {
  const page = await renderHtml(hostile);
  expect(page).not.toMatch(/<script|<link|https?:/);
  expect(page).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page).toContain('default-src &#39;none&#39;');
  expect(page).not.toContain('\u001b');
  for (const heading of [
    'Summary',
    'Gate',
    'Contradictions',
    'Open items',
    'Met items',
    'Sources',
  ]) {
    expect(page).toMatch(new RegExp(`<h2[^>]*>${heading}|aria-label="${heading}"`));
  }
  expect(page.length).toBeLessThan(500_000);
});

test('the HTML report stays under 500 KB with hostile text, many worlds and many sources', async () => {
  const text = '\u202e'.repeat(200);
  const pieces = Array.from({ length: 5 }, () => ({
    kind: 'request' as const,
    id: 'req_1',
    world: 'w'.repeat(63),
    at: NOW,
    text,
  }));
  const observations = IDS.flatMap((id) =>
    (['used', 'met', 'contradicted'] as const).map((result) =>
      observation(id, result, { evidence: pieces }),
    ),
  );
  const worlds = Array.from({ length: 5_000 }, (_, n) => `worker-${n}`);
  const sources = Array.from({ length: 500 }, (_, n) =>
    source(n === 0 ? observations : [observation(`gone.${n}`, 'met')], { run: `r${n}`, worlds }),
  );
  const page = await renderHtml(makeReport({ sources, sandlot: '0.1.0', now: NOW }));
  expect(Buffer.byteLength(page)).toBeLessThan(500_000);
});

test('the JUnit report has a suite per group and a case per item, and is valid XML text', () => {
  const xml = renderJunit(hostile);
  expect(xml.match(/<testcase /g)).toHaveLength(ITEMS.length);
  expect(xml.match(/<testsuite /g)).toHaveLength(
    new Set(hostile.items.map(({ group }) => group)).size,
  );
  expect(xml).toContain('&lt;script&gt;');
  expect(xml).not.toContain('\u001b');
  expect(xml).toMatch(
    /name="sale\.lost_response [^"]*"><failure message="sale\.lost_response is contradicted">/,
  );
  expect(xml).toMatch(/name="error\.not_found [^"]*"\/>/);
  expect(xml).toMatch(/name="referral\.clicks_read [^"]*"><skipped message="not_applicable"\/>/);
});
