/**
 * Compiles a pattern in which `*` matches any text, including none. Each part between two stars is searched once, from the
 * end of the previous part, so no pattern causes backtracking.
 */
export const wildcard = (pattern: string): ((text: string) => boolean) => {
  const [first = '', ...parts] = pattern.split('*');
  const last = parts.pop();
  if (last === undefined) return (text) => text === first;
  return (text) => {
    if (!text.startsWith(first) || !text.endsWith(last)) return false;
    let end = first.length;
    for (const part of parts) {
      const start = text.indexOf(part, end);
      if (start < 0) return false;
      end = start + part.length;
    }
    return end + last.length <= text.length;
  };
};
