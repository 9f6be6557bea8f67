/**
 * A pattern in which `*` stands for any text, also for none; without one, it is the text itself. Each part between two
 * stars is looked for once, from where the one before it ended: whoever wrote the pattern, it never goes back.
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
