import { measureColdStart } from '../cold-start.mjs';
import { printTimes } from '../print.mjs';

export async function run(root, rounds) {
  const { bare, fresh, warm } = await measureColdStart(root, rounds);
  printTimes('cold start to the first 200', 'bare Hono', bare, [
    ['fresh state, 5,000 domains', fresh],
    ['existing state', warm],
  ]);
}
