/** An address that means every one of the machine's. */
export function isWildcard(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** 127.0.0.0/8, ::1, localhost and names below it. */
export function isLoopbackName(name: string): boolean {
  return /^(?:127(?:\.\d{1,3}){3}|\[?::1\]?|(?:[a-z0-9-]+\.)*localhost)$/i.test(name);
}
