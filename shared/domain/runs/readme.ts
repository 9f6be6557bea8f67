import { limits } from '../limits.ts';

const NOTE = '\n\n… The rest of this README.md is not shown: it is longer than 256 KB.\n';

/** Truncates a README.md to its first 256 KB and adds a note about the missing rest. */
export const cutReadme = (text: string): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= limits.readme) return text;
  // UTF-8 continuation bytes: the cut must not split a character.
  let end = limits.readme;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + NOTE;
};
