/** Output of the probe; a whole number is a count. */
export interface Reading {
  text: string;
  count: number | null;
}

export interface ProbeFailure {
  problem: string;
}

/** The subject of a reading, which a command finds in its environment as `SANDLOT_TEST_…`. */
export interface ProbeSubject {
  check: string;
  event: string;
  order: string;
}

/** Returns the effects so far: a count, or any text. */
export type ProbeFunction = (subject: ProbeSubject) => string | number | Promise<string | number>;

export function isFailure(reading: Reading | ProbeFailure): reading is ProbeFailure {
  return 'problem' in reading;
}

export function readingOf(output: string): Reading {
  const text = output.trim();
  return { text, count: /^-?\d{1,15}$/.test(text) ? Number(text) : null };
}
