import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import { checked, listOf, rebuiltTable, rowId, time } from './columns.ts';

interface EvidenceJson {
  kind: 'request' | 'event' | 'delivery' | 'page' | 'action';
  id: string | null;
  world: string;
  /** Real time, Unix ms. */
  at: number;
  text: string;
}

/** What an integration was seen to handle, by item and result. Times are real, Unix ms. */
export const observations = rebuiltTable(
  sqliteTable(
    'observations',
    {
      item: text('item').notNull(),
      result: text('result', { enum: ['used', 'met', 'contradicted'] }).notNull(),
      rev: integer('rev').notNull(),
      count: integer('count').notNull(),
      firstAt: time('first_at').notNull(),
      lastAt: time('last_at').notNull(),
      /** The evidence of a few observations, oldest first. */
      evidence: checked(text('evidence', { mode: 'json' }), listOf('array'))
        .$type<EvidenceJson[][]>()
        .notNull(),
    },
    (table) => [primaryKey({ columns: [table.item, table.result] })],
  ),
);

/** One row, once a rule has read the request log. */
export const observedRun = rebuiltTable(
  sqliteTable('observed_run', {
    id: rowId('id'),
    /** Random, so that exports of worlds with the same seed stay apart; null without observations. */
    run: text('run'),
    /** This world, and deleted ones whose observations it got. */
    worlds: checked(text('worlds', { mode: 'json' }), listOf('text'))
      .$type<string[]>()
      .notNull(),
    requests: integer('requests').notNull(),
    attempts: integer('attempts').notNull(),
    /** Number of the newest entry of the request log that the rules have read. */
    seen: integer('seen').notNull(),
  }),
);
