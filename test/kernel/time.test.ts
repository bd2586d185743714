import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { systemRuntime } from '../../src/kernel/runtime.ts';
import {
  DAY,
  formatDuration,
  formatExactDuration,
  HOUR,
  MINUTE,
  parseDuration,
  parseIsoTime,
  SECOND,
} from '../../src/kernel/time.ts';

describe('parseIsoTime', () => {
  test.each([
    ['0000-02-29', -62_162_121_600_000],
    ['2024-02-29T10:20Z', Date.UTC(2024, 1, 29, 10, 20)],
    ['2024-01-01T10:20:30Z', Date.UTC(2024, 0, 1, 10, 20, 30)],
    ['2024-01-01T10:20:30.123999999Z', Date.UTC(2024, 0, 1, 10, 20, 30, 123)],
    ['9999-12-31T23:59:59.999999Z', Date.UTC(9999, 11, 31, 23, 59, 59, 999)],
    ['2024-01-01T10:20:30+02:00', Date.UTC(2024, 0, 1, 8, 20, 30)],
    ['0000-01-01', -62_167_219_200_000],
  ])('reads %s, without parts of a millisecond', (text, ms) => {
    expect(parseIsoTime(text)).toBe(ms);
  });

  test.each([
    '',
    'yesterday',
    '2024',
    ' 2024-01-01',
    '2024-01-01\n',
    '2023-02-29',
    '2024-13-01',
    '2024-01-01T10:20:30',
    '2024-01-01 10:20:30Z',
    '2024-01-01T25:00:00Z',
    '2024-01-01T10:20:30+0200',
    '0000-01-01T00:00+00:01',
    '9999-12-31T23:59:59.999-00:01',
    '1767225600',
  ])('rejects %j', (text) => {
    expect(parseIsoTime(text)).toBeUndefined();
  });
});

describe('parseDuration', () => {
  test.each([
    ['90s', 90_000],
    ['11m', 660_000],
    ['1h30m', 5_400_000],
    ['1.5h', 5_400_000],
    ['2d', 172_800_000],
    [' 1W2d\n', 777_600_000],
    ['250ms', 250],
    ['0s', 0],
    ['0', 0],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  test.each(['', '5', '-1s', '1 s', '.5s', '1y', '999999999w'])('rejects %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});

test.each([
  [0, '0s'],
  [1_500, '1500ms'],
  [61_000, '1m 1s'],
  [HOUR + MINUTE + SECOND, '3661000ms'],
])('formatExactDuration writes %d ms as %s, and leaves out no part', (ms, text) => {
  expect(formatExactDuration(ms)).toBe(text);
  expect(parseDuration(text.replace(' ', ''))).toBe(ms);
});

describe('formatDuration', () => {
  test.each([
    [0, '0s'],
    [250, '250ms'],
    [1000, '1s'],
    [61_999, '1m 1s'],
    [HOUR, '1h'],
    [2 * HOUR + 5 * MINUTE + 9 * SECOND, '2h 5m'],
    [3 * DAY + SECOND, '3d 1s'],
    [400 * DAY, '400d'],
  ])('writes %d ms as %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
});

test('real time is read once per tick, also after an await, and moves on between ticks', async () => {
  const [begun, start] = [systemRuntime.now(), systemRuntime.monotonic()];
  while (systemRuntime.monotonic() - start < 5);
  expect(systemRuntime.now()).toBe(begun);
  await Promise.resolve();
  expect(systemRuntime.now()).toBe(begun);
  await nextTick();
  expect(systemRuntime.now()).toBeGreaterThanOrEqual(begun + 4);
});
