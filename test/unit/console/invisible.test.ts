import { describe, expect, it } from 'vitest';
import { splitInvisible, withoutInvisible } from '../../../functions/console/app/lib/invisible.ts';

describe('invisible characters of names', () => {
  it.each([
    ['an override of the writing direction', 'a\u202Etxt.exe', 'a[U+202E]txt.exe'],
    ['isolates', '\u2066a\u2069', '[U+2066]a[U+2069]'],
    ['a character without width', 'net\u200Bwork', 'net[U+200B]work'],
    ['a byte order mark', '\uFEFFnetwork', '[U+FEFF]network'],
    ['a control character', 'a\u0007b\u009Fc', 'a[U+0007]b[U+009F]c'],
    ['a line separator', 'a\u2028b', 'a[U+2028]b'],
    ['a tag', 'a\u{E0041}', 'a[U+E0041]'],
    ['a tag after a flag of no country', '\u{1F3F4}\u{E0068}\u{E007F}', '\u{1F3F4}[U+E0068][U+E007F]'],
    ['a joiner between Latin letters', 'net\u200Dwork', 'net[U+200D]work'],
  ])('are numbered: %s', (_, text, expected) => {
    expect(withoutInvisible(text)).toBe(expected);
  });

  it.each([
    ['text of several lines', 'a\tb\r\nc'],
    // cspell:disable
    ['right-to-left letters', 'וַיֹּאמֶר'],
    ['a Persian word with its joiner', 'می\u200Cخواهم'],
    ['a Devanagari conjunct with its joiner', 'क्\u200Dष'],
    // cspell:enable
    ['an emoji of several', '👩\u200D👩\u200D👧'],
    ['an emoji with a variation', '❤\uFE0F\u200D🔥'],
    ['an accent that combines', 'e\u0301'],
    ['the flag of a part of a country', '\u{1F3F4}\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}'],
    ['the flag of a country', '🇮🇪'],
  ])('leave a text as it is: %s', (_, text) => {
    expect(splitInvisible(text)).toEqual([{ text, isInvisible: false }]);
  });

  it('split a text at each of them', () => {
    expect(splitInvisible('\u200Eab\u200F')).toEqual([
      { text: 'U+200E', isInvisible: true },
      { text: 'ab', isInvisible: false },
      { text: 'U+200F', isInvisible: true },
    ]);
  });
});
