import { expect, test } from 'vitest';
import { kills } from '../../scripts/torture/campaigns/kills.ts';
import { swaps } from '../../scripts/torture/campaigns/swaps.ts';

// What only a kill of a process shows, as briefly as makes sense. `npm run torture` runs all campaigns.
test.each([kills, swaps])('the campaign $name breaks no promise', async ({ run }) => {
  const { figures, findings } = await run({ seed: 1, size: 'short' });
  expect(findings).toEqual([]);
  // It has done something.
  expect(Object.keys(figures)).not.toEqual([]);
});
