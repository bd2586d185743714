/** Prints times in ms: a title with the baseline, and a line per row with its ratio to it. */
export function printTimes(title, baselineName, baseline, rows) {
  const base = median(baseline);
  console.log(`${title} (median of ${baseline.length}; ${baselineName} ${base.toFixed(1)} ms)`);
  for (const [name, samples] of rows) console.log(timeLine(name, median(samples), base));
}

export function timeLine(name, value, base) {
  const digits = value < 10 ? 2 : 1;
  return `  ${name.padEnd(32)} ${(value / base).toFixed(2)} x  (${value.toFixed(digits)} ms)`;
}

/** Prints rates per second, as `printTimes`. */
export function printRates(title, baselineName, baseline, rows) {
  const base = median(baseline);
  console.log(`${title} (median of ${baseline.length}; ${baselineName} ${base.toFixed(0)}/s)`);
  for (const [name, samples] of rows) {
    const value = median(samples);
    console.log(`  ${name.padEnd(35)} ${(value / base).toFixed(2)} x  (${value.toFixed(0)}/s)`);
  }
}

/** Prints microseconds of CPU time per request, as `printTimes`. */
export function printCosts(title, baselineName, baseline, rows) {
  const base = median(baseline);
  console.log(`${title} (median of ${baseline.length}; ${baselineName} ${base.toFixed(0)} µs)`);
  for (const [name, samples] of rows) {
    const value = median(samples);
    console.log(`  ${name.padEnd(35)} ${(value / base).toFixed(2)} x  (${value.toFixed(0)} µs)`);
  }
}

export function median(samples) {
  return [...samples].sort((a, b) => a - b)[Math.floor(samples.length / 2)];
}
