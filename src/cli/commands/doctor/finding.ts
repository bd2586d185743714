/** What one check of `doctor` found. */
export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'failure';
  detail: string;
  /** What to do next; null where there is nothing to do. */
  hint: string | null;
}

export function fine(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, hint: null };
}

/** Something that works, or may be meant, but is worth knowing. */
export function doubtful(check: string, detail: string, hint: string): Finding {
  return { check, status: 'warning', detail, hint };
}

/** Something that does not work until somebody does what the hint says. */
export function broken(check: string, detail: string, hint: string): Finding {
  return { check, status: 'failure', detail, hint };
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
