import { type Activity, evidenceOf } from './activity.ts';
import { ITEMS, RULES } from './items.ts';
import { cutText, limitEvidence, type Observation } from './observation.ts';
import type { ItemRule } from './rule.ts';

const REVS = new Map(ITEMS.map(({ id, rev }) => [id, rev]));

/** Runs every rule over the activities of one world, in their order. */
export class Observer {
  readonly #world: string;
  #rules: { rule: ItemRule; state: unknown }[] = [];

  constructor(world: string) {
    this.#world = world;
    this.reset();
  }

  /** Clears the state of the rules: activities before a boundary are unrelated to those after it. */
  reset(): void {
    this.#rules = RULES.map((rule) => ({ rule, state: rule.start?.() }));
  }

  observe(activity: Activity): Observation[] {
    const observations: Observation[] = [];
    for (const { rule, state } of this.#rules) {
      if (!isReadBy(rule, activity)) continue;
      rule.observe(
        state,
        activity,
        (result, activities, { item = rule.items[0]?.id ?? '', count = 1 } = {}) => {
          const rev = REVS.get(item);
          if (rev === undefined) return;
          const evidence = limitEvidence([activities].flat()).map((entry) => {
            const piece = 'text' in entry ? entry : evidenceOf(entry);
            return { ...piece, world: this.#world, text: cutText(piece.text) };
          });
          const at = evidence.at(-1)?.at ?? 0;
          observations.push({ item, result, rev, count, first_at: at, last_at: at, evidence });
        },
      );
    }
    return observations;
  }
}

function isReadBy({ reads = ['request'], operations }: ItemRule, activity: Activity): boolean {
  if (!reads.includes(activity.kind)) return false;
  if (operations === undefined || activity.kind !== 'request') return true;
  return operations.includes(activity.operation ?? '');
}
