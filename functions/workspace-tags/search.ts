/** Creates a case-insensitive filter on names that contain the text. Null or an empty text matches every name. */
export const containing = (text: string | null): ((name: string) => boolean) => {
  const wanted = text?.toLowerCase() ?? '';
  return (name) => name.toLowerCase().includes(wanted);
};
