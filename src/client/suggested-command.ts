import { shellQuote } from './curl.ts';

/** Formats a command to suggest, with the options that reach a world of a sandbox. @param line without `sandlot` */
export function suggestedCommand(
  line: string,
  { url, world }: { url?: string | undefined; world?: string | undefined },
): string {
  const urlOption = url ? ` --url ${shellQuote(url)}` : '';
  const worldOption = world ? ` --world ${shellQuote(world)}` : '';
  // Some commands have a --url of their own, for a receiver. Then the --url of the sandbox goes before the command.
  const command = line.includes(' --url ') ? `${urlOption} ${line}` : ` ${line}${urlOption}`;
  return `sandlot${command}${worldOption}`;
}
