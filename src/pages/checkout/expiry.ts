/**
 * What is wrong with an expiry date as typed: "08/27", "0827", "8 / 2027". A card is good to the end of its
 * month.
 * @param now sandbox time, Unix ms
 */
export function expiryProblem(text: string, now: number): string | undefined {
  const [, monthText = '', yearText = ''] =
    /^(\d{1,2}) ?[/-] ?(\d{4}|\d{2})$/.exec(text) ?? /^(\d{2})(\d{4}|\d{2})$/.exec(text) ?? [];
  const month = Number(monthText);
  if (month < 1 || month > 12) return 'Enter the expiry date like 08/34.';
  const today = new Date(now);
  const thisYear = today.getUTCFullYear();
  const year = yearText.length === 2 ? yearNear(Number(yearText), thisYear) : Number(yearText);
  const past = year * 12 + month < thisYear * 12 + today.getUTCMonth() + 1;
  return past ? 'This card has expired.' : undefined;
}

/** The year that ends in these two digits and lies less than half a century back. */
function yearNear(digits: number, thisYear: number): number {
  const year = Math.floor(thisYear / 100) * 100 + digits;
  return year <= thisYear - 50 ? year + 100 : year;
}
