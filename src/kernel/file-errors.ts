const PROBLEMS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  // Of mkdir: a file has the name of the folder.
  EEXIST: 'it is not a folder',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a link that leads back to itself',
  ENAMETOOLONG: 'its name is too long',
  ENOTDIR: 'its folder is a file',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
};

/** Describes why a file cannot be used. @param missing the problem if a path does not exist */
export function describeFileError(error: unknown, missing: string): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' ? missing : (PROBLEMS[code] ?? message);
}
