// `npm run torture` runs every campaign, `npm run torture -- kills soak` the named ones, `--seed 7` with another
// seed, `--short` as briefly as makes sense. Prints a line each; exits 1 if a guarantee is broken.
import { parseArgs } from 'node:util';
import { CAMPAIGNS } from './campaigns/index.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, short: { type: 'boolean', default: false } },
});
const known = CAMPAIGNS.map(({ name }) => name);
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`there is no campaign ${unknown.join(', ')}; there are ${known.join(', ')}`);
  process.exit(2);
}
const wanted = CAMPAIGNS.filter(
  ({ name }) => positionals.length === 0 || positionals.includes(name),
);
for (const { name, run } of wanted) {
  const begun = performance.now();
  const size = values.short ? 'short' : 'full';
  const { figures, findings } = await run({ seed: Number(values.seed), size });
  const seconds = Math.round((performance.now() - begun) / 1_000);
  const facts = Object.entries(figures).map(([what, value]) => `${what} ${value}`);
  const result = findings.length === 0 ? 'held' : `${findings.length} findings`;
  console.log(`${name}: ${result} (seed ${values.seed}, ${seconds} s; ${facts.join(', ')})`);
  for (const finding of findings.slice(0, 20)) console.log(`  ${finding}`);
  if (findings.length > 0) process.exitCode = 1;
}
