export function childEnvironment(further: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...further };
}
