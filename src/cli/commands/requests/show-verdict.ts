import type { Paper } from '../../output.ts';
import type { Verdict } from './judge-request.ts';

const LINES = ['METHOD', 'PATH', 'QUERY', 'TIMESTAMP', 'NONCE', 'BODY_SHA256'];

/** The verdict for people, with the canonical string beside what was signed instead. */
export function showVerdict(verdict: Verdict, { paint }: Paper): string[] {
  const { valid, problems, canonical_string: expected, signed_string: signed } = verdict;
  const head = valid
    ? [paint.good('✓ the signature is right')]
    : problems.flatMap(({ summary, fix }) => [paint.bad(`✗ ${summary}`), `  ${fix}`]);
  if (expected === null) return head;
  const lines = expected.split('\n');
  const others = signed?.split('\n');
  const comparable = others?.length === lines.length;
  return [
    ...head,
    '',
    paint.faint('canonical string:'),
    ...lines.flatMap((line, index) => {
      const shown = `  ${(LINES[index] ?? '').padEnd(12)} ${line}`.trimEnd();
      const other = comparable ? others[index] : undefined;
      if (other === undefined || other === line) return [shown];
      return [paint.good(shown), paint.bad(`  ${'signed as'.padEnd(12)} ${JSON.stringify(other)}`)];
    }),
    ...(signed === null || comparable
      ? []
      : [paint.faint('signed instead:'), `  ${paint.bad(JSON.stringify(signed))}`]),
  ];
}
