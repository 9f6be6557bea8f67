import { DomainError } from '../../shared/domain/errors.ts';
import { createErrorResponse } from '../../shared/http/error-response.ts';
import type { CommandKey, Parameters } from '../../shared/schemas/admin-commands.ts';
import { commandNames, findCommand } from './help.ts';
import { readParameters } from './parameters.ts';

/** The Lambda invocation of a command. */
export interface Invocation {
  readonly requestId: string;
  /** Returns the time that remains, in milliseconds. */
  readonly remaining: () => number;
}

/** Handler of one command: returns the result, which is serialized as JSON. */
export type CommandHandler<C extends CommandKey> = (
  parameters: Parameters<C>,
  invocation: Invocation,
) => Promise<object> | object;

/** One handler for each command: a missing or additional one is a type error. */
export type CommandHandlers = { readonly [C in CommandKey]: CommandHandler<C> };

const unknownCommand = (given: unknown): DomainError => {
  const name = typeof given === 'string' ? `There is no command ${given}` : 'The command is missing';
  return new DomainError('bad-request', `${name}; use one of: ${commandNames.join(', ')}`, {
    source: { parameter: 'command' },
  });
};

const execute = async (handlers: CommandHandlers, event: unknown, invocation: Invocation): Promise<object> => {
  const isObject = typeof event === 'object' && event !== null && !Array.isArray(event);
  const { command, ...parameters } = (isObject ? event : {}) as Record<string, unknown>;
  const key = findCommand(command);
  if (key === undefined) throw unknownCommand(command);
  const handle = handlers[key] as CommandHandler<typeof key>;
  return handle(readParameters(key, parameters), invocation);
};

/** Converts the pointer of an error, which store and domain aim at a JSON:API document, to a parameter of the command. */
const inCommand = (error: DomainError): DomainError => {
  if (error.source === undefined || !('pointer' in error.source)) return error;
  const pointer = error.source.pointer
    .replace(/^\/data\/attributes/, '')
    .replace(/-id$/, '')
    .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return new DomainError(error.code, error.detail, { source: { pointer }, cause: error });
};

interface Context {
  readonly awsRequestId?: string;
  readonly getRemainingTimeInMillis?: () => number;
}

/**
 * Creates the handler of admin commands. It returns the result of the command, or `errors` in the form of the HTTP API.
 * @throws every other error, so that Lambda counts the invocation as failed.
 */
export const createHandler =
  (handlers: CommandHandlers) =>
  async (event: unknown, { awsRequestId, getRemainingTimeInMillis }: Context = {}): Promise<object> => {
    try {
      return await execute(handlers, event, {
        requestId: awsRequestId ?? 'local',
        remaining: getRemainingTimeInMillis ?? (() => Number.POSITIVE_INFINITY),
      });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return JSON.parse(createErrorResponse(inCommand(error)).body ?? '{}') as object;
    }
  };
