import path from 'node:path';

const LINK = /\[([^\]]+)\]\(([^)\s]+)\)/g;

/** Returns the files to which a document links, relative to the root of the package. */
export function linkedFiles(document: string, text: string): string[] {
  return [...withoutCode(text).matchAll(LINK)]
    .map(([, , target = '']) => fileOf(document, target))
    .filter((file) => file !== undefined);
}

/**
 * Replaces links to files that are not in the package: by absolute ones if the repository is public, else by their
 * text.
 */
export function replaceLinks(
  document: string,
  text: string,
  isShipped: (file: string) => boolean,
  repository: string | undefined,
): string {
  return text.replace(LINK, (link, label: string, target: string) => {
    const file = fileOf(document, target);
    if (file === undefined || isShipped(file)) return link;
    return repository ? `[${label}](${repository}/blob/HEAD/${file})` : label;
  });
}

function fileOf(document: string, target: string): string | undefined {
  if (/^(?:\w+:|#)/.test(target)) return undefined;
  return path.posix.join(path.posix.dirname(document), target.split('#')[0] ?? '');
}

function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, '').replaceAll(/`[^`\n]*`/g, '');
}
