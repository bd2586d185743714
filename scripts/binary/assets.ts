/** The files of the package in the executable, by their path in the package. */
export interface Assets {
  /** SHA-256 over names and contents, in hex. */
  digest: string;
  names: readonly string[];
  /** SQLite's binary, which the system must let the process load. */
  library: string;
  read(name: string): Buffer;
}
