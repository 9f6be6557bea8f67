/** What a list is narrowed by: names with the text in them, in any case; no text, or an empty one, is met by all. */
export const containing = (text: string | null): ((name: string) => boolean) => {
  const wanted = text?.toLowerCase() ?? '';
  return (name) => name.toLowerCase().includes(wanted);
};
