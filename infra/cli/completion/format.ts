import { FILES, type Shell } from './scripts.ts';
import type { Suggestion } from './suggest.ts';

/** Characters at which bash splits words, although the user has typed no blank. */
const isBreak = (word: string): boolean => /^[=:]+$/.test(word);

/** Joins the words that bash has split. The incomplete last word remains the last one. */
const joinWords = (words: readonly string[]): readonly string[] => {
  const joined: string[] = [];
  words.forEach((word, index) => {
    const isContinued = index > 0 && (isBreak(word) || isBreak(words[index - 1] ?? ''));
    if (isContinued) joined.push((joined.pop() ?? '') + word);
    else joined.push(word);
  });
  return joined;
};

/** Removes quotation marks and backslashes, as a shell does. */
const unquote = (word: string): string => word.replaceAll(/\\(.)|["']/gs, '$1');

/** Reads the words that a script passes. @returns the words as the user means them. */
export const readWords = (shell: Shell, words: readonly string[]): readonly string[] =>
  shell === 'bash' ? joinWords(words).map(unquote) : words;

/** Quotes a text in the way that the user has begun. */
const quoteForBash = (text: string, begun: string): string => {
  if (begun.startsWith('"')) return text.replaceAll(/[$`"\\]/g, '\\$&');
  if (begun.startsWith("'")) return text.replaceAll("'", "'\\''");
  return text.replaceAll(/[^\p{L}\p{N}_@%+=:,./-]/gu, '\\$&');
};

/**
 * Formats suggestions as lines for the script of a shell.
 * @param words that the script has passed.
 */
export const formatSuggestions = (
  shell: Shell,
  words: readonly string[],
  suggestions: readonly Suggestion[],
): string => {
  const last = words.at(-1) ?? '';
  // bash replaces only the part behind the last character at which it has split.
  const begun = isBreak(last) ? '' : last;
  const kept = shell === 'bash' ? (readWords(shell, words).at(-1) ?? '').length - unquote(begun).length : 0;
  return suggestions
    .map(({ value, description = '' }) => {
      if (value === FILES) return value;
      if (shell === 'bash') return quoteForBash(value.slice(kept), begun);
      if (shell === 'fish') return `${value}\t${description}`;
      return `${value.replaceAll(/[\\:]/g, '\\$&')}:${description}`;
    })
    .join('\n');
};
