import { usageError } from '../failure.ts';

/** A tag as the API has it: without a value, it is a flat tag (TAG-16). */
interface Tag {
  readonly key: string;
  readonly value: string;
}

/** Formats a tag as `KEY=VALUE`, or `KEY` without a value. */
export const formatTag = ({ key, value }: Tag): string => (value === '' ? key : `${key}=${value}`);

/** Reads a tag with a value. @throws Failure `usage` without a value. */
export const parseTag = (tag: string): Tag => {
  const [, key = '', value = ''] = /^([^=]+)=(.+)$/.exec(tag) ?? [];
  if (key === '') throw usageError(`"${tag}" is not a tag with a value.`, 'Write KEY=VALUE.');
  return { key, value };
};

/** Returns the parameters of a list for tags `KEY` or `KEY=VALUE`. @throws Failure `usage` for another form. */
export const toTagQuery = (
  tags: readonly string[],
): Readonly<Record<`filter[tagged][${number}][${'key' | 'value'}]`, string>> =>
  Object.fromEntries(
    tags.flatMap((tag, index) => {
      const [, key = '', , value] = /^([^=]+)(=(.+))?$/.exec(tag) ?? [];
      // The API takes an empty value for any value, and an empty key for no filter.
      if (key === '') throw usageError(`--tag: "${tag}" is not a tag.`, 'Write KEY or KEY=VALUE.');
      return [
        [`filter[tagged][${index}][key]`, key],
        ...(value === undefined ? [] : [[`filter[tagged][${index}][value]`, value]]),
      ];
    }),
  );
