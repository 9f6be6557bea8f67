import { usageError } from '../failure.ts';
import type { Entry } from './entry.ts';

const types = {
  key: 'string',
  category: 'string',
  value: 'string',
  'value-reference': 'string',
  hcl: 'boolean',
  description: 'string',
  sensitive: 'boolean',
} as const;

const toEntry = (file: string, item: unknown, position: number): Entry => {
  const fail = (message: string): never => {
    throw usageError(`${file}, variable ${position}: ${message}`, 'Nothing was changed.');
  };
  if (typeof item !== 'object' || item === null) return fail('It is not an object.');
  const given = Object.entries(item).filter(([, value]) => value !== null);
  for (const [name, value] of given) {
    if (!Object.hasOwn(types, name)) fail(`"${name}" is none of ${Object.keys(types).join(', ')}.`);
    if (typeof value !== types[name as keyof typeof types])
      fail(`${name} is not a ${types[name as keyof typeof types]}.`);
  }
  const {
    key,
    category = 'infra',
    hcl = false,
    ...rest
  } = Object.fromEntries(given) as unknown as Entry & { category?: string };
  if (!key) return fail('It has no key.');
  if (!['env', 'infra', 'terraform'].includes(category))
    fail(`The category "${category}" is none of env, infra, terraform.`);
  if ((rest.value === undefined) === (rest['value-reference'] === undefined))
    fail(`${key} needs either value or value-reference.`);
  return { ...rest, key, category: category === 'env' ? 'env' : 'infra', hcl };
};

/** Reads a JSON array of variables with the names of the API, as `var export --format json` writes it. @throws Failure `usage` */
export const readJsonFile = (file: string, text: string): readonly Entry[] => {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The message of the parser contains a part of the text, which may be a secret.
    throw usageError(`${file} is not JSON.`, 'Nothing was changed.');
  }
  if (!Array.isArray(content)) {
    throw usageError(
      `${file} is not a JSON array of variables.`,
      'A file with an object of input variables has a name that ends with .tfvars.json.',
    );
  }
  return content.map((item, index) => toEntry(file, item, index + 1));
};
