import { usageError } from '../failure.ts';

/** A tag with a value. */
interface Binding {
  readonly key: string;
  readonly value: string;
}

/** A tag as the user writes it: without a value, it is a flat tag (TAG-16). */
export interface Tag {
  readonly key: string;
  readonly value?: string;
}

/** Formats a tag as `KEY=VALUE`, or `KEY` without a value. */
export const formatTag = ({ key, value = '' }: Tag): string => (value === '' ? key : `${key}=${value}`);

/** Reads a tag with a value. @throws Failure `usage` without a value. */
export const parseBinding = (tag: string): Binding => {
  const [, key = '', value = ''] = /^([^=]+)=(.+)$/.exec(tag) ?? [];
  if (key === '') throw usageError(`"${tag}" is not a tag with a value.`, 'Write KEY=VALUE.');
  return { key, value };
};

/** Reads a tag. @throws Failure `usage` for an empty key or value, such as that of an unset variable of a script. */
export const parseTag = (tag: string): Tag => {
  if (/^[^=]+$/.test(tag)) return { key: tag };
  if (/^[^=]+=./.test(tag)) return parseBinding(tag);
  throw usageError(`"${tag}" is not a tag.`, 'Write KEY or KEY=VALUE.');
};

/**
 * Returns the parameters of a list for tags. The API takes an empty value for any value, and an empty key for no filter.
 * @throws Failure `usage` for an empty key or value.
 */
export const toTagQuery = (
  tags: readonly string[],
): Readonly<Record<`filter[tagged][${number}][${'key' | 'value'}]`, string>> =>
  Object.fromEntries(
    tags
      .map(parseTag)
      .flatMap(({ key, value }, index) => [
        [`filter[tagged][${index}][key]`, key],
        ...(value === undefined ? [] : [[`filter[tagged][${index}][value]`, value]]),
      ]),
  );
