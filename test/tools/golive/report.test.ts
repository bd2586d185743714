import { describe, expect, test } from 'vitest';
import { renderHtml } from '../../../src/tools/golive/html.tsx';
import type { Report } from '../../../src/tools/golive/report.ts';
import { NOW, observation, reportOn } from './reports.ts';

const itemOf = (report: Report, id: string) => report.items.find((item) => item.id === id);

describe('a status', () => {
  test('is not_applicable until its feature is used, then unmet, then met', () => {
    expect(itemOf(reportOn([]), 'sale.key_per_sale')?.status).toBe('not_applicable');
    const used = observation('postOrder', 'used');
    expect(itemOf(reportOn([used]), 'sale.key_per_sale')?.status).toBe('unmet');
    const met = observation('sale.key_per_sale', 'met');
    expect(itemOf(reportOn([used, met]), 'sale.key_per_sale')?.status).toBe('met');
  });

  test('is contradicted even if it is met later', () => {
    const report = reportOn([
      observation('sale.lost_response', 'contradicted'),
      observation('sale.lost_response', 'met'),
    ]);
    expect(itemOf(report, 'sale.lost_response')?.status).toBe('contradicted');
  });

  test('of an event needs webhooks, and a sale or a brokerage case', () => {
    const webhooks = observation('attempt', 'used');
    const status = (more: ReturnType<typeof observation>[]) =>
      itemOf(reportOn([webhooks, ...more]), 'event.brokerage.case_completed')?.status;
    expect(status([observation('postOrder', 'used')])).toBe('not_applicable');
    expect(status([observation('postBrokerage', 'used')])).toBe('unmet');
  });
});

test('of many observations, the last five pieces of evidence are kept', () => {
  const piece = { kind: 'request', id: 'req_1', world: 'default', at: NOW } as const;
  const list = [0, 1, 2, 3].map((n) =>
    observation('retry.after_429', 'met', {
      evidence: ['a', 'b'].map((part) => ({ ...piece, text: `${n}${part}` })),
    }),
  );
  const met = itemOf(reportOn(list), 'retry.after_429');
  expect(met?.count).toBe(4);
  expect(met?.evidence.map(({ text }) => text)).toEqual(['1b', '2a', '2b', '3a', '3b']);
});

describe('a gate', () => {
  const met = observation('error.not_found', 'met');

  test('without a file requires every must item that applies', () => {
    const report = reportOn([met]);
    expect(report.gate.passed).toBe(false);
    expect(itemOf(report, 'error.conflict')?.required).toBe(true);
    expect(itemOf(report, 'error.forbidden')?.required).toBe(false);
    expect(report.gate.failed).not.toContain('error.not_found');
  });

  test('requires what it names, also of a feature that is not used', () => {
    expect(reportOn([met], { require: ['error.not_found'] }).gate.passed).toBe(true);
    const { gate } = reportOn([met], { require: ['error.not_found', 'sale.key_per_sale'] });
    expect(gate).toMatchObject({ passed: false, failed: ['sale.key_per_sale'] });
  });

  test('fails by a contradicted must item that it does not require, not by one of advice', () => {
    const wrong = (id: string) => reportOn([observation(id, 'contradicted')], {}).gate;
    expect(wrong('retry.after_429')).toMatchObject({ passed: false, failed: ['retry.after_429'] });
    expect(wrong('retry.skips_4xx').passed).toBe(true);
  });

  test('accepts a contradiction that it lists with a reason, and no item that is unmet', () => {
    const accept = { 'retry.after_429': 'not yet' };
    const contradicted = [observation('retry.after_429', 'contradicted')];
    for (const require of [[], ['retry.after_429']]) {
      const report = reportOn(contradicted, { require, accept });
      expect(report.gate).toMatchObject({ passed: true, failed: [] });
      expect(itemOf(report, 'retry.after_429')?.accepted).toBe('not yet');
    }
    const unmet = reportOn([], { require: ['retry.after_429'], accept });
    expect(unmet.gate).toMatchObject({ passed: false, failed: ['retry.after_429'] });
    expect(itemOf(unmet, 'retry.after_429')?.accepted).toBeNull();
  });
});

const HOSTILE = `<script>alert(1)</script>\u001b[31m"'&`;
const hostile = reportOn([
  observation('postOrder', 'used'),
  observation('error.not_found', 'met'),
  observation('sale.lost_response', 'contradicted', {
    evidence: [{ kind: 'request', id: 'req_1', world: HOSTILE, at: NOW, text: HOSTILE }],
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
    'Contradictions',
    'Open items',
    'Open, not required',
    'Met items',
  ]) {
    expect(page).toMatch(
      new RegExp(`<h2[^>]*>${heading}|<summary>${heading}|aria-label="${heading}"`),
    );
  }
  expect(page.length).toBeLessThan(500_000);
});
