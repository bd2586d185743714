import { shellQuote } from './curl.ts';

/** Formats a command to suggest, with the options that reach a world of a sandbox. @param line without `sandlot` */
export function suggestedCommand(
  line: string,
  { url, world }: { url?: string | undefined; world?: string | undefined },
): string {
  const urlOption = url ? ` --url ${shellQuote(url)}` : '';
  const worldOption = world ? ` --world ${shellQuote(world)}` : '';
  // After a command with a --url of its own, for a receiver, --url is that one: the sandbox's goes before the command.
  const command = line.includes(' --url ') ? `${urlOption} ${line}` : ` ${line}${urlOption}`;
  return `sandlot${command}${worldOption}`;
}
