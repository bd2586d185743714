import type { Half, Judge, Judged } from './judge.ts';

const SHOWN = 5;

export interface Figures {
  /** Share of the queries with one of the best listings among the five results. */
  hit: number;
  /** Mean normalized discounted cumulative gain of the five results, 0 to 1. */
  ndcg: number;
  /** Share of the nonsense queries without a result. */
  empty: number;
}

/** @param find returns the domains that a search finds, best first */
export function evaluate(judge: Judge, half: Half, find: (q: string) => string[]): Figures {
  const queries = judge.queries.filter((judged) => judged.half === half);
  const nonsense = queries.filter(({ kind }) => kind === 'nonsense');
  const sense = queries
    .filter(({ kind }) => kind !== 'nonsense')
    .map((each) => {
      return judgeOne(judge, each, find(each.q));
    });
  return {
    hit: mean(sense.map(({ hit }) => (hit ? 1 : 0))),
    ndcg: mean(sense.map(({ ndcg }) => ndcg)),
    empty: mean(nonsense.map(({ q }) => (find(q).length === 0 ? 1 : 0))),
  };
}

export function judgeOne(judge: Judge, judged: Judged, found: string[]) {
  const grades = found.map((domain) => judge.grade(judged, domain));
  const ideal = judge.ideal(judged, SHOWN);
  const best = ideal[0] ?? 0;
  return {
    hit: best > 0 && grades.includes(best),
    ndcg: gain(grades) / (gain(ideal) || 1),
    grades,
  };
}

function gain(grades: readonly number[]): number {
  return grades.reduce((sum, grade, at) => sum + (2 ** grade - 1) / Math.log2(at + 2), 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / (values.length || 1);
}
