import { DomainError } from '../../shared/domain/errors.ts';
import type { CommandKey, Parameters } from '../../shared/schemas/admin-commands.ts';
import type { Complaint } from '../../shared/schemas/error-messages.ts';
import { descriptions, validators } from '../../shared/validators/compiled/commands.js';

/** Creates the 422 error of a parameter with an invalid value. */
export const invalidParameter = (parameter: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, { source: { pointer: `/${parameter}` } });

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** Describes the problem with a value. @param description of the parameter, shown with a pattern. */
const problemOf = ({ keyword, params }: Complaint, description: string): string => {
  switch (keyword) {
    case 'enum':
      return `must be one of: ${(params['allowedValues'] as unknown[]).filter(Boolean).join(', ')}`;
    case 'maxLength':
      return `is too long (maximum is ${params['limit']} characters)`;
    case 'minLength':
      return `is too short (minimum is ${params['limit']} characters)`;
    case 'type': {
      const types = [params['type']].flat();
      return types.includes('boolean') ? 'must be true or false' : `must be of type ${types.join(' or ')}`;
    }
    case 'pattern':
      return `must be of the form ${params['pattern']}. ${description}`;
    default:
      return 'is invalid';
  }
};

/**
 * Validates the parameters of a command. A command line sends every value as text, so the texts `true` and `false` are
 * converted where the schema requires a boolean.
 * @throws DomainError 422 that names the parameter.
 */
export const readParameters = <C extends CommandKey>(
  key: C,
  given: Readonly<Record<string, unknown>>,
): Parameters<C> => {
  const { properties, required = [] } = descriptions[key].parameters;
  const parameters = Object.entries(given).map(([name, value]) => {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const validate = validators[key][name];
    if (property === undefined || validate === undefined) {
      const known = Object.keys(properties).join(', ') || 'none';
      throw invalidParameter(name, `There is no parameter ${name}; use: ${known}`);
    }
    const converted = property.type === 'boolean' && typeof value === 'string' ? (booleans[value] ?? value) : value;
    if (validate(converted)) return [name, converted];
    const [complaint] = validate.errors ?? [];
    if (complaint === undefined) throw new TypeError(`The validator of ${name} reported no error`);
    throw invalidParameter(name, `${name} ${problemOf(complaint, property.description)}`);
  });
  const missing = required.filter((name) => !Object.hasOwn(given, name));
  if (missing[0] !== undefined) {
    const described = missing.map((name) => {
      const { description, enum: choices } = properties[name] ?? {};
      return `${name} (${description}${choices ? `: ${choices.join(', ')}` : ''})`;
    });
    throw invalidParameter(missing[0], `Required parameters are missing: ${described.join(', ')}`);
  }
  return Object.fromEntries(parameters) as Parameters<C>;
};
