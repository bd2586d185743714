/** Whether a server that listens on this address listens on all addresses of the machine. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Whether a name is 127.0.0.0/8, ::1, localhost or ends with .localhost. */
export function isLoopbackName(name: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[?::1\]?|(?:[a-z0-9-]+\.)*localhost)$/i.test(name);
}
