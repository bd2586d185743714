import { type Check, groupOf } from '../check.ts';
import { BODY } from './body.ts';
import { DUP, DUP_LATE } from './dup.ts';
import { DATA, ORDER, RIGHT, TYPE } from './events.ts';
import { SIG } from './sig.ts';
import { WIRE } from './wire.ts';

export const CHECKS: readonly Check[] = [
  ...RIGHT,
  ...BODY,
  ...TYPE,
  ...DATA,
  ...WIRE,
  ...SIG,
  ...DUP,
  ...ORDER,
  DUP_LATE,
];

export const GROUPS = [...new Set(CHECKS.map(({ id }) => groupOf(id)))];
