import { describe, expect, test } from 'vitest';
import { showReport } from '../../../src/tools/golive/show-report.ts';
import { COLORLESS, NOW, observation, reportOn } from './reports.ts';

const HOSTILE = '<script>\u001b[2J\u202e\r\n';
const LONG = `POST /orders → 409 conflict, same body, another key, key ${'5f0c-'.repeat(20)} ${HOSTILE}`;

function print(): string {
  const evidence = [
    { kind: 'request' as const, id: 'req_1', world: HOSTILE, at: NOW, text: LONG.slice(0, 200) },
  ];
  const observations = [
    observation('postOrder', 'used'),
    observation('attempt', 'used'),
    observation('sale.lost_response', 'contradicted', { evidence }),
    observation('request.known_fields', 'contradicted', { evidence }),
    observation('hook.reordered', 'contradicted', { evidence }),
  ];
  const accept = { 'hook.reordered': `${'Because '.repeat(20)}${HOSTILE}` };
  const require = ['hook.reordered', 'hook.rejects_forgery', 'money.statement_read'];
  return showReport(reportOn(observations, { require, accept }), COLORLESS).join('\n');
}

describe('the report on a terminal', () => {
  test('shows contradictions first, and marks what fails the gate and what is accepted', () => {
    expect(print().match(/^[✗!-] \S+/gmu)).toEqual([
      '✗ Go-live',
      '! request.known_fields',
      '✗ sale.lost_response',
      '- hook.reordered',
      '✗ hook.rejects_forgery',
      '✗ money.statement_read',
    ]);
    expect(print()).toContain(': 0 of 3 required items met, 1 accepted, 1 other contradicted\n');
  });

  test('has no control characters of partners', () => {
    const output = print();
    for (const char of ['\u001b', '\u202e', '\r', '\n\n ']) expect(output).not.toContain(char);
    expect(output).toContain(' [2J ');
  });

  test('names open advice', () => {
    expect(print()).toMatch(/\nOpen, not required: .*error\.forbidden, .*hook\.tested/);
    expect(print()).not.toMatch(/\nOpen, not required: .*hook\.(reordered|rejects_forgery)/);
  });
});
