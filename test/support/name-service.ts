import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

/** Until the test ends, names in `known` resolve to these addresses, and to nothing else. */
export function resolving(known: Record<string, string[]>): void {
  const real = dns.lookup;
  const fake = (
    name: string,
    _options: unknown,
    callback: (error: Error | null, found: { address: string; family: number }[]) => void,
  ) => {
    const found = (known[name] ?? []).map((address) => ({
      address,
      family: address.includes(':') ? 6 : 4,
    }));
    const missing = Object.assign(new Error(`no ${name}`), { code: 'ENOTFOUND' });
    // The real one leaves the addresses away when it fails.
    if (found.length > 0) callback(null, found);
    else (callback as (error: Error) => void)(missing);
  };
  dns.lookup = fake as unknown as typeof dns.lookup;
  syncBuiltinESMExports();
  onTestFinished(() => {
    dns.lookup = real;
    syncBuiltinESMExports();
  });
}
