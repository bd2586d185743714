export interface Finding {
  check: string;
  status: 'ok' | 'warning' | 'failure';
  detail: string;
  /** What to do next; null if there is nothing to do. */
  hint: string | null;
}

export function ok(check: string, detail: string): Finding {
  return { check, status: 'ok', detail, hint: null };
}

export function warning(check: string, detail: string, hint: string): Finding {
  return { check, status: 'warning', detail, hint };
}

export function failure(check: string, detail: string, hint: string): Finding {
  return { check, status: 'failure', detail, hint };
}
