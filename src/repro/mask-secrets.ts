import { hidden } from '../requests/mask.ts';
import { SecretSearch } from '../requests/secret-search.ts';

/** Returns a function that replaces these secrets, and all minted ones, by text of equal length. */
export function secretMask(secrets: Iterable<string>): (text: string) => string {
  const search = new SecretSearch();
  search.add(secrets);
  return (text) => {
    let kept = '';
    let end = 0;
    for (const { from, to } of search.find(text)) {
      kept += text.slice(end, from) + hidden(to - from);
      end = to;
    }
    return end === 0 ? text : kept + text.slice(end);
  };
}
