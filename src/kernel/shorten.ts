/** Shortens a text in the middle to `max` characters, at least 3: `https://hooks.exam…/webhooks?id=1`. */
export function shortenMiddle(text: string, max: number): string {
  const chars = [...text];
  if (chars.length <= max) return text;
  const tail = Math.floor((max - 1) / 2);
  return `${chars.slice(0, max - 1 - tail).join('')}…${chars.slice(-tail).join('')}`;
}
