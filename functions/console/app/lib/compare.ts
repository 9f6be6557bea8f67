import { type Change, compareAttributes, withoutRepetitions } from '../../../../shared/client/compare.ts';

/** Compares what a page shows of a resource with its present version, which may have more attributes. */
export const compareShown = (shown: object, present: object): readonly Change[] =>
  withoutRepetitions(compareAttributes({ ...shown }, { ...present })).filter(
    ({ name }) => name in shown && name in present,
  );

/** Formats a value of an attribute in one line. @param name name or label of the attribute */
export const formatValue = (value: unknown, name = ''): string => {
  if (value === null || value === undefined || value === '') return 'none';
  if (typeof value === 'boolean') {
    const [on, off] = /deletion.protection$/i.test(name) ? ['on', 'off'] : ['yes', 'no'];
    return value ? on : off;
  }
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ') || 'none';
  return typeof value === 'string' ? value : JSON.stringify(value);
};
