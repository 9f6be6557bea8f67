import picomatch from 'picomatch';
import { RE2JS } from 're2js';

/** Whether a glob can be matched: balanced brackets and braces, no escape of nothing at its end. */
export const checkGlob = (glob: string): boolean => {
  if (/(^|[^\\])(\\\\)*\\$/.test(glob)) return false;
  try {
    picomatch.makeRe(glob, { strictBrackets: true });
    return true;
  } catch {
    return false;
  }
};

/** Whether a regular expression is one of RE2's: matched in linear time, whoever wrote it. */
export const checkTagsRegex = (expression: string): boolean => {
  try {
    RE2JS.compile(expression);
    return true;
  } catch {
    return false;
  }
};
