/** What to do to meet an item. */
interface NextSteps {
  /** The steps from the first sentence on. */
  text: string;
  commands: string[];
  domains: string[];
}

export const COMMAND = 'sandlot ';

/** @param pathOf returns a path that the integration used, with a method */
export function makeNextSteps(
  steps: readonly string[],
  pathOf: (method?: string) => string = () => '/orders',
): NextSteps {
  const allSteps = steps.map((step) => {
    const method = /--method (\w+)/.exec(step)?.[1];
    return step.replace(/--path P\b/, `--path ${pathOf(method)}`);
  });
  const first = allSteps.findIndex((step) => !isCommand(step));
  const lines: string[] = [];
  for (const step of allSteps.slice(first < 0 ? 0 : first)) {
    const before = lines.at(-1);
    if (before === undefined || !isCommand(step)) lines.push(step);
    else if (isCommand(before) || before.includes(COMMAND)) lines.push(step);
    else lines.splice(-1, 1, `${before}${before.endsWith(':') ? '' : ' Then run:'} ${step}`);
  }
  return {
    text: lines.join('\n'),
    commands: allSteps.filter(isCommand).map((step) => step.slice(COMMAND.length)),
    domains: [...new Set(allSteps.join(' ').match(/(?<![\w-])[\w-]+\.test\b/g))],
  };
}

/** Returns all next steps, one per line. */
export function nextLines({ text, commands }: NextSteps): string[] {
  const lines = text.split('\n');
  const isInText = (command: string) => lines.some((line) => line.endsWith(command));
  const allCommands = commands.map((command) => COMMAND + command);
  return [...allCommands.filter((command) => !isInText(command)), ...lines];
}

function isCommand(step: string): boolean {
  return step.startsWith(COMMAND);
}
