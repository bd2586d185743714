declare function describeUnsupported(process: {
  versions: Readonly<Record<string, string | undefined>>;
  platform: string;
  arch: string;
}): string | undefined;
export = describeUnsupported;
