import { flag } from '../../declare.ts';

/** `--same-ids`, of the commands that begin a new id series. @param repeats which ids it repeats */
export function sameIds(repeats: string) {
  return flag('--same-ids', `${repeats}, for byte-identical runs`);
}
