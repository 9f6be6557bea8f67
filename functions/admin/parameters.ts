import { DomainError } from '../../shared/domain/errors.ts';
import { type CompiledCommand, openCommands } from '../../shared/schemas/commands.ts';
import type { Complaint } from '../../shared/schemas/error-messages.ts';
import { commands } from '../../shared/validators/compiled/admin.js';

/** Creates the 422 error of a parameter with an invalid value. */
export const invalidParameter = (parameter: string, detail: string): DomainError =>
  new DomainError('invalid-attribute', detail, { source: { pointer: `/${parameter}` } });

/** Describes the problem with a value. @param description of the parameter, shown with a pattern. */
const problemOf = ({ keyword, params }: Complaint, description = ''): string => {
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

/** Names all required parameters that are missing, with their descriptions. */
const missingParameters = ({ required, properties }: CompiledCommand, given: object): DomainError => {
  const missing = required.filter((name) => !Object.hasOwn(given, name));
  const described = missing.map((name) => {
    const { description, enum: choices } = properties[name] ?? {};
    return `${name} (${description}${choices ? `: ${choices.join(', ')}` : ''})`;
  });
  return invalidParameter(missing[0] ?? '', `Required parameters are missing: ${described.join(', ')}`);
};

/** The admin commands. Their errors are for operators, and name parameters as the commands do. */
export const adminCommands = openCommands(commands, {
  usage:
    'npm run admin -- <command> --some-parameter value, or invoke the function with {"command": …, "someParameter": …}',
  isText: true,
  unknown: (given, names) => {
    const name = typeof given === 'string' ? `There is no command ${given}` : 'The command is missing';
    return new DomainError('bad-request', `${name}; use one of: ${names.join(', ')}`, {
      source: { parameter: 'command' },
    });
  },
  invalid: (complaint, command, given) => {
    const { missingProperty, additionalProperty: unknown } = complaint.params;
    if (missingProperty !== undefined) return missingParameters(command, given);
    if (typeof unknown === 'string') {
      const known = Object.keys(command.properties).join(', ') || 'none';
      return invalidParameter(unknown, `There is no parameter ${unknown}; use: ${known}`);
    }
    const [, name = ''] = complaint.instancePath.split('/');
    return invalidParameter(name, `${name} ${problemOf(complaint, command.properties[name]?.description)}`);
  },
});
