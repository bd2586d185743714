declare function describeUnsupported(
  versions: Readonly<Record<string, string | undefined>>,
): string | undefined;
export = describeUnsupported;
