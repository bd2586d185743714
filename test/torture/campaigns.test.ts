import { expect, test } from 'vitest';
import { kills } from '../../scripts/torture/campaigns/kills.ts';

// What only a kill of a process shows, as briefly as makes sense. `npm run torture` runs all campaigns.
test('the campaign kills breaks no promise', async () => {
  const { figures, findings } = await kills.run({ seed: 1, size: 'short' });
  expect(findings).toEqual([]);
  // It has done something.
  expect(Object.keys(figures)).not.toEqual([]);
});
