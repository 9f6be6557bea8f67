/**
 * Returns why a form cannot be submitted yet: a required value is empty, or an edit changes nothing.
 * @param required the required values by the labels of their fields
 */
export const formBlocker = (required: Readonly<Record<string, string>>, isUnchanged: boolean): string | undefined => {
  const empty = Object.keys(required).find((label) => required[label]?.trim() === '');
  if (empty !== undefined) return `Complete the field ${empty} first.`;
  return isUnchanged ? 'Change something first.' : undefined;
};
