import { PlainError } from '../gateway/plain-error.ts';

/** What the admin function is sent. */
export type AdminCommand = { command: string } & Record<string, unknown>;

/**
 * Makes a command of the words after `npm run admin --`: a single JSON argument, or the command's name and options.
 *
 * `--some-key value` becomes `someKey`; `--flag` alone is true; `--settings.some-key value` nests; a value that starts
 * with `{` or `[` is JSON; every other value stays text, numbers too. No words at all ask for help.
 */
export const parseAdminArguments = (words: readonly string[]): AdminCommand => {
  const [first, ...options] = words;
  if (first === undefined) return { command: 'help' };
  if (first.startsWith('{')) return parseJson(first, 'The argument') as AdminCommand;
  if (first.startsWith('-')) throw new PlainError(`The first word names the command; ${first} is an option`);

  const command: AdminCommand = { command: first };
  for (let i = 0; i < options.length; i++) {
    const [, path, inline] = option.exec(options[i] ?? '') ?? [];
    // What it is instead is not repeated: it may be a secret.
    if (path === undefined) throw new PlainError(`Word ${i + 2} is no option; options look like --some-key value`);
    const following = options[i + 1];
    const isFlag = inline === undefined && (following === undefined || option.test(following));
    if (!isFlag && inline === undefined) i += 1;
    put(command, path.split('.').map(camelCase), isFlag ? true : parseValue(inline ?? following ?? '', path));
  }
  return command;
};

/** `--name` or `--name=value`; the first line of a private key is neither. */
const option = /^--([a-z][\w.-]*)(?:=(.*))?$/is;

const camelCase = (text: string): string => text.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const parseValue = (value: string, option: string): unknown =>
  /^[{[]/.test(value) ? parseJson(value, `The value of --${option}`) : value;

const parseJson = (text: string, what: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new PlainError(`${what} is no valid JSON: ${text}`);
  }
};

const put = (target: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void => {
  if (key === '__proto__') throw new PlainError('__proto__ is no option');
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const nested = Object.hasOwn(target, key) ? target[key] : {};
  if (typeof nested !== 'object' || nested === null)
    throw new PlainError(`${key} is given both as a value and as parts`);
  target[key] = nested;
  put(nested as Record<string, unknown>, rest, value);
};
