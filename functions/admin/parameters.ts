import { DomainError } from '../../shared/domain/errors.ts';
import type { CommandKey, Parameters } from '../../shared/schemas/admin-commands.ts';
import { descriptions, validators } from '../../shared/schemas/compiled/commands.js';
import type { Complaint } from '../../shared/schemas/error-messages.ts';

/** A parameter with a value that it cannot have. */
export const invalidParameter = (parameter: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, { source: { pointer: `/${parameter}` } });

const booleans: Readonly<Record<string, boolean>> = { true: true, false: false };

/** What is wrong with a value; `means` is what the parameter is for. */
const problemOf = ({ keyword, params }: Complaint, means: string): string => {
  switch (keyword) {
    case 'enum':
      return `must be one of: ${(params['allowedValues'] as unknown[]).filter(Boolean).join(', ')}`;
    case 'maxLength':
      return `is too long (maximum is ${params['limit']} characters)`;
    case 'minLength':
      return `is too short (minimum is ${params['limit']} characters)`;
    case 'type': {
      const types = [params['type']].flat();
      return types.includes('boolean') ? 'must be true or false' : `needs a value, of type ${types.join(' or ')}`;
    }
    case 'pattern':
      return `must be of the form ${params['pattern']}. ${means}`;
    default:
      return 'is invalid';
  }
};

/**
 * The parameters of a command as its schema says. From a command line everything is text: so `true` and `false` are
 * taken for what they say wherever only that can be meant.
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
      throw invalidParameter(name, `There is no parameter ${name}; there are: ${known}`);
    }
    const meant = property.type === 'boolean' && typeof value === 'string' ? (booleans[value] ?? value) : value;
    if (validate(meant)) return [name, meant];
    const [complaint] = validate.errors ?? [];
    if (complaint === undefined) throw new TypeError(`The validator of ${name} gave no reason`);
    throw invalidParameter(name, `${name} ${problemOf(complaint, property.description)}`);
  });
  const missing = required.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) {
    const { description, enum: choices } = properties[missing] ?? {};
    throw invalidParameter(missing, `${missing} is missing. ${description}${choices ? `: ${choices.join(', ')}` : ''}`);
  }
  return Object.fromEntries(parameters) as Parameters<C>;
};
