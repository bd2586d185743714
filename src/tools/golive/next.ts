export interface NextSteps {
  /** The lines from the first sentence on; a line can also be a command. */
  text: string;
  /** All commands, without `sandlot`. */
  commands: string[];
  domains: string[];
}

export const COMMAND = 'sandlot ';

/** @param pathOf returns a path that the integration used, with a method */
export function makeNextSteps(
  steps: readonly string[],
  pathOf: (method?: string) => string = () => '/orders',
): NextSteps {
  const filled = steps.map((step) => {
    const method = /--method (\w+)/.exec(step)?.[1];
    return step.replace(/--path P\b/, `--path ${pathOf(method)}`);
  });
  const first = filled.findIndex((step) => !isCommand(step));
  const lines: string[] = [];
  for (const step of filled.slice(first < 0 ? 0 : first)) {
    const before = lines.at(-1);
    if (before === undefined || !isCommand(step)) lines.push(step);
    else if (isCommand(before) || before.includes(COMMAND)) lines.push(step);
    else lines.splice(-1, 1, `${before}${before.endsWith(':') ? '' : ' Then run:'} ${step}`);
  }
  return {
    text: lines.join('\n'),
    commands: filled.filter(isCommand).map((step) => step.slice(COMMAND.length)),
    domains: [...new Set(filled.join(' ').match(/(?<![\w-])[\w-]+\.test\b/g))],
  };
}

export function nextLines({ text, commands }: NextSteps): string[] {
  const lines = text.split('\n');
  const firstCommands = commands.map((command) => COMMAND + command);
  return [
    ...firstCommands.filter((command) => !lines.some((line) => line.endsWith(command))),
    ...lines,
  ];
}

function isCommand(step: string): boolean {
  return step.startsWith(COMMAND);
}
