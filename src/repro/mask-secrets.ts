import { hidden } from '../requests/mask.ts';
import { SecretSearch } from '../requests/secret-search.ts';

/** Returns a function that puts text of equal length in the place of these secrets, and of all minted ones. */
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
