/** The environment of a child process: this one's with further variables. */
export function childEnvironment(further: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...further };
}
