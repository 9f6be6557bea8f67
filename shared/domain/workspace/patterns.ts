import picomatch from 'picomatch';
import { RE2JS } from 're2js';

/**
 * Checks of patterns in requests. Import this module dynamically, and its types only: the engines behind the checks are two
 * fifths of the code of a function, and few requests need them.
 */
export interface PatternChecks {
  readonly checkGlob: (glob: string) => boolean;
  readonly checkTagsRegex: (expression: string) => boolean;
}

/** Checks a glob: brackets and braces must be balanced, and it must not end with a lone backslash. */
export const checkGlob = (glob: string): boolean => {
  if (/(^|[^\\])(\\\\)*\\$/.test(glob)) return false;
  try {
    picomatch.makeRe(glob, { strictBrackets: true });
    return true;
  } catch {
    return false;
  }
};

/** Checks a regular expression: it must be valid in RE2, which matches in linear time. */
export const checkTagsRegex = (expression: string): boolean => {
  try {
    RE2JS.compile(expression);
    return true;
  } catch {
    return false;
  }
};
