import { expect, test } from 'vitest';
import { TextBlocks } from '../../src/requests/packed-texts.ts';

const textsOf = (n: number) => ({
  head: `{"n":${n}}`,
  headers: '["a","ü"]',
  body: n % 3 === 0 ? '' : '€'.repeat(n % 7),
  response: '💶'.repeat(n % 500),
});

test('texts are read as they were added, in blocks that released texts have left', () => {
  const blocks = new TextBlocks();
  const waiting: { n: number; packed: ReturnType<TextBlocks['add']> }[] = [];
  const used = new Set<unknown>();
  for (let n = 0; n < 20_000; n += 1) {
    const packed = blocks.add(textsOf(n));
    used.add(packed.block);
    waiting.push({ n, packed });
    if (waiting.length <= 500) continue;
    const [oldest] = waiting.splice(0, 1);
    if (!oldest) continue;
    expect(oldest.packed.read()).toEqual(textsOf(oldest.n));
    oldest.packed.release();
  }
  expect(used.size).toBeLessThan(8);
});

test('a text that is longer than a block is read as it was added', () => {
  const blocks = new TextBlocks();
  const long = { ...textsOf(1), body: 'ä'.repeat(1024 * 1024) };
  const packed = blocks.add(long);
  expect(packed.size).toBeGreaterThan(2 * 1024 * 1024);
  const next = blocks.add(textsOf(2));
  expect(packed.read()).toEqual(long);
  packed.release();
  expect(next.read()).toEqual(textsOf(2));
});
