import { limits } from '../limits.ts';

const NOTE = '\n\n… The rest of this README.md is not shown: it is longer than 256 KB.\n';

/** As much of a README.md as is kept: its first 256 KB, and a word about the rest. */
export const cutReadme = (text: string): string => {
  const bytes = Buffer.from(text);
  if (bytes.length <= limits.readme) return text;
  // Not in the middle of a character: bytes like these go on with one.
  let end = limits.readme;
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return bytes.toString('utf8', 0, end) + NOTE;
};
