/**
 * Returns why a form cannot be submitted yet: the first required value that is empty.
 * @param values the required values by the labels of their fields
 */
export const missingValue = (values: Readonly<Record<string, string>>): string | undefined => {
  const label = Object.keys(values).find((name) => values[name]?.trim() === '');
  return label === undefined ? undefined : `Complete the field ${label} first.`;
};
