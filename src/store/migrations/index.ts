import { initial } from './0001-initial.ts';
import { money } from './0002-money.ts';
import { snapshots } from './0003-snapshots.ts';
import { lean } from './0004-lean.ts';
import { faults } from './0005-faults.ts';
import { nonces } from './0006-nonces.ts';
import { due } from './0007-due.ts';
import { searchIndex } from './0008-search-index.ts';
import { tallies } from './0009-tallies.ts';
import { noncesOfTurns } from './0010-nonces-of-turns.ts';
import { casesOfDomain } from './0011-cases-of-domain.ts';
import { idSeries } from './0012-id-series.ts';

/** In order; a database's `user_version` says how many of them it has seen. Append only. */
export const MIGRATIONS: readonly string[] = [
  initial,
  money,
  snapshots,
  lean,
  faults,
  nonces,
  due,
  searchIndex,
  tallies,
  noncesOfTurns,
  casesOfDomain,
  idSeries,
];
