import { CodedError } from '../kernel/errors.ts';

/** What an address leads to, or why it leads to nothing: a filter may say anything. */
export async function orProblem<T>(asked: Promise<T>): Promise<T | { problem: string }> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof CodedError && error.code === 'validation_error') {
      return { problem: error.message };
    }
    throw error;
  }
}

/** The members of an address that a list knows, and its page: as many rows as one likes to look through. */
export function listQuery(
  query: Record<string, string>,
  names: readonly string[],
): Record<string, string> {
  const known = ['cursor', ...names].flatMap((name) => {
    const value = query[name]?.trim();
    return value ? [[name, value] as const] : [];
  });
  return { ...Object.fromEntries(known), limit: String(ROWS) };
}

const ROWS = 50;
