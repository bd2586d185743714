/** The shell commands of a document, block by block. */
export function shellBlocksOf(text: string): string[] {
  return blocksOf(text, 'sh');
}

/** The code blocks of a document in a language. */
export function blocksOf(text: string, language: string): string[] {
  const blocks = text.matchAll(/^```(\S*)\n([\s\S]*?)^```/gm);
  return [...blocks].flatMap(([, found, block = '']) => (found === language ? [block] : []));
}
