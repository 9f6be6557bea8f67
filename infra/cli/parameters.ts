import { now } from '../../shared/lib/clock.ts';
import { usageError } from './failure.ts';
import type { Invocation } from './invocation.ts';

/** Suggests values for a parameter, for what the user has typed of it and for the arguments before it. */
export type Complete = (invocation: Invocation, typed: string, args: readonly string[]) => Promise<readonly string[]>;

/** An argument or the value of a flag: its help, how it is read, and the values that a shell can suggest. */
export interface Parameter<T> {
  readonly summary: string;
  /** Name of the value in help, such as `NAME`. A flag without one has no value. */
  readonly placeholder?: string;
  /** Letter that is another name of the flag. */
  readonly short?: string;
  /** @throws Failure `usage` with a message that names the accepted values. */
  readonly parse: (text: string) => T;
  /** The only accepted values. */
  readonly choices?: readonly string[];
  readonly complete?: Complete;
  /** The value without the flag or argument. */
  readonly fallback: T | undefined;
  /** Whether it may be repeated: the value is a list. */
  readonly isRepeated?: boolean;
  /** Whether the argument may be absent, or the flag must be present. */
  readonly isOptional?: boolean;
  /** Whether `-` stands for names from standard input: the value is a list. */
  readonly isPiped?: boolean;
  readonly isRequired?: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: the type of the value is inferred for each parameter.
export type Parameters = Readonly<Record<string, Parameter<any>>>;

/** The values of parameters by their names. */
export type ValuesOf<P extends Parameters> = { readonly [N in keyof P]: P[N] extends Parameter<infer T> ? T : never };

interface TextOptions {
  readonly placeholder?: string;
  readonly complete?: Complete;
  readonly isPiped?: boolean;
}

/** A required argument. */
export const argument = (summary: string, options: TextOptions = {}): Parameter<string> => ({
  summary,
  parse: (value) => value,
  fallback: undefined,
  ...options,
});

/** An argument that may be absent. Only the last arguments of a command can be. */
export const optionalArgument = (summary: string, options: TextOptions = {}): Parameter<string | undefined> => ({
  ...argument(summary, options),
  isOptional: true,
});

/** The remaining arguments; at least one. */
export const remainingArguments = (summary: string, options: TextOptions = {}): Parameter<readonly string[]> => ({
  summary,
  parse: (value) => [value],
  fallback: [],
  isRepeated: true,
  ...options,
});

/** A flag with a text. */
export const text = (summary: string, placeholder: string, complete?: Complete): Parameter<string | undefined> => ({
  summary,
  placeholder,
  parse: (value) => value,
  fallback: undefined,
  ...(complete !== undefined && { complete }),
});

/** Requires a flag. */
export const required = <T>(parameter: Parameter<T>): Parameter<Exclude<T, undefined>> => ({
  ...(parameter as Parameter<Exclude<T, undefined>>),
  isRequired: true,
});

/** A flag with a text that may be repeated. */
export const texts = (summary: string, placeholder: string, complete?: Complete): Parameter<readonly string[]> => ({
  summary: `${summary} Can be repeated.`,
  placeholder,
  parse: (value) => [value],
  fallback: [],
  isRepeated: true,
  ...(complete !== undefined && { complete }),
});

/** Rejects an empty text, such as that of an unset variable of a script, which would narrow no list and name nothing. */
export const requireText = (value: string): string => {
  if (value === '') throw usageError('The value is empty.');
  return value;
};

/** A flag that narrows a list. */
export const filter = (summary: string, placeholder: string, complete?: Complete): Parameter<string | undefined> => ({
  ...text(summary, placeholder, complete),
  parse: requireText,
});

/** A flag that narrows a list and may be repeated. */
export const filters = (summary: string, placeholder: string, complete?: Complete): Parameter<readonly string[]> => ({
  ...texts(summary, placeholder, complete),
  parse: (value) => [requireText(value)],
});

/** A flag without a value. */
export const flag = (summary: string): Parameter<boolean> => ({ summary, parse: () => true, fallback: false });

const oneOf = <const C extends string>(choices: readonly C[], value: string): C => {
  const found = choices.find((choice) => choice === value);
  if (found === undefined) throw usageError(`"${value}" is none of ${choices.join(', ')}.`);
  return found;
};

/** A flag with one of some values. */
export const choice = <const C extends string>(
  summary: string,
  choices: readonly C[],
  placeholder = choices.join('|'),
): Parameter<C | undefined> => ({
  summary,
  placeholder,
  choices,
  parse: (value) => oneOf(choices, value),
  fallback: undefined,
});

/** A flag with `true` or `false`, for a value that can be changed in both directions. */
export const truth = (summary: string): Parameter<boolean | undefined> => ({
  summary,
  placeholder: 'true|false',
  choices: ['true', 'false'],
  parse: (value) => oneOf(['true', 'false'], value) === 'true',
  fallback: undefined,
});

/** A flag with a positive integer. */
export const count = (summary: string, placeholder = 'N'): Parameter<number | undefined> => ({
  summary,
  placeholder,
  parse: (value) => {
    if (!/^[1-9]\d{0,8}$/.test(value)) throw usageError(`"${value}" is not a positive integer.`);
    return Number(value);
  },
  fallback: undefined,
});

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Reads a duration such as `90s`, `15m`, `2h` or `30d`, in seconds. */
const parseDuration = (value: string): number => {
  const [, amount, unit = ''] = /^(\d{1,6})(s|m|h|d)$/.exec(value) ?? [];
  if (amount === undefined) throw usageError(`"${value}" is not a duration. Write it like 90s, 15m, 2h or 30d.`);
  return Number(amount) * (SECONDS[unit] ?? 0);
};

/** A flag with a duration, in seconds. */
export const duration = (summary: string): Parameter<number | undefined> => ({
  summary,
  placeholder: 'DURATION',
  parse: parseDuration,
  fallback: undefined,
});

const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

const readTime = (value: string, direction: 1 | -1): number => {
  if (/^\d+[a-z]$/.test(value)) return now() + direction * parseDuration(value) * 1_000;
  const time = TIME.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(time)) {
    const meaning = direction === 1 ? 'in a day' : 'a day ago';
    throw usageError(`"${value}" is not a time. Write it like 1d (${meaning}), 2026-11-22 or 2026-11-22T08:00:00Z.`);
  }
  return time;
};

/**
 * Reads a time: a duration before the present, such as `1d`, a date in UTC, or a time with its offset.
 * @returns milliseconds since the epoch.
 */
export const parseTime = (value: string): number => readTime(value, -1);

/** A flag with a time, in milliseconds since the epoch. */
export const time = (summary: string): Parameter<number | undefined> => ({
  summary,
  placeholder: 'TIME',
  parse: parseTime,
  fallback: undefined,
});

/** A flag with a time to come: a duration from now, a date in UTC, or a time with its offset, in milliseconds since the epoch. */
export const futureTime = (summary: string): Parameter<number | undefined> => ({
  summary,
  placeholder: 'DURATION|TIME',
  parse: (value) => readTime(value, 1),
  fallback: undefined,
});
