/**
 * Characters that nobody sees: control characters except tabs and line breaks, format characters such as those that change
 * the writing direction, and separators. Joiners are left where scripts and emoji need them.
 */
const invisible =
  /(?![\t\n\r\p{Join_Control}\p{Variation_Selector}])[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]|(?<![\u0600-\u1aff\p{Extended_Pictographic}\p{Emoji_Presentation}\p{Variation_Selector}])\p{Join_Control}/u;

/** Flags of England, Scotland and Wales, which end with characters that nobody sees. Other such sequences could hide a text. */
const flags =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/u;

const flagOrInvisible = new RegExp(`${flags.source}|${invisible.source}`, 'gu');

const isFlag = (found: string): boolean => flags.test(found);

const codePointOf = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

/** A part of a text: unchanged text, or the number of an invisible character. */
export interface TextPart {
  readonly text: string;
  readonly isInvisible: boolean;
}

/** Splits a text at its invisible characters. */
export const splitInvisible = (text: string): readonly TextPart[] => {
  const parts: TextPart[] = [];
  let end = 0;
  for (const { 0: character, index } of text.matchAll(flagOrInvisible)) {
    if (isFlag(character)) continue;
    if (index > end) parts.push({ text: text.slice(end, index), isInvisible: false });
    parts.push({ text: codePointOf(character), isInvisible: true });
    end = index + character.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isInvisible: false });
  return parts;
};

/** Returns a text with the numbers of its invisible characters in brackets, for places that show only plain text. */
export const withoutInvisible = (text: string): string =>
  text.replaceAll(flagOrInvisible, (found) => (isFlag(found) ? found : `[${codePointOf(found)}]`));
