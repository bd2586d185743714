export const COMMAND = 'sandlot ';

/** Returns the steps that meet an item, one per line. @param pathOf returns a path that the integration used, with a method */
export function nextSteps(
  steps: readonly string[],
  pathOf: (method?: string) => string = () => '/orders',
): string[] {
  return steps.map((step) => {
    const method = /--method (\w+)/.exec(step)?.[1];
    return step.replace(/--path P\b/, `--path ${pathOf(method)}`);
  });
}

export function isCommand(step: string): boolean {
  return step.startsWith(COMMAND);
}
