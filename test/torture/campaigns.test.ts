import { expect, test } from 'vitest';
import { CAMPAIGNS } from '../../scripts/torture/campaigns/index.ts';

// As briefly as makes sense; `npm run torture` does the same for a quarter of an hour.
for (const { name, run } of CAMPAIGNS) {
  test(`the campaign ${name} breaks no promise`, { timeout: 120_000 }, async ({ skip }) => {
    const { figures, findings, skipped } = await run({ seed: 1, size: 'short' });
    skip(skipped !== undefined, skipped);
    expect(findings).toEqual([]);
    // It has done something.
    expect(Object.keys(figures)).not.toEqual([]);
  });
}
