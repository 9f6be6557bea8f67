import picomatch from 'picomatch';
import { RE2JS } from 're2js';

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
