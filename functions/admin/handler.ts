import { DomainError } from '../../shared/domain/errors.ts';
import { createErrorDocument } from '../../shared/http/error-response.ts';
import type { CommandKey, Parameters } from '../../shared/schemas/admin-commands.ts';
import { adminCommands } from './parameters.ts';

/** Time limit of the invocation that executes a command. */
interface TimeLimit {
  /** Returns the time that remains, in milliseconds. */
  readonly remaining: () => number;
}

/** Handler of one command: returns the result, which is serialized as JSON. */
export type CommandHandler<C extends CommandKey> = (
  parameters: Parameters<C>,
  limit: TimeLimit,
) => Promise<object> | object;

/** One handler for each command: a missing or additional one is a type error. */
export type CommandHandlers = { readonly [C in CommandKey]: CommandHandler<C> };

const execute = async (handlers: CommandHandlers, event: unknown, limit: TimeLimit): Promise<object> => {
  const { key, parameters } = adminCommands.read(event);
  const handle = handlers[key] as CommandHandler<typeof key>;
  return handle(parameters as Parameters<typeof key>, limit);
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
  readonly getRemainingTimeInMillis?: () => number;
}

/**
 * Creates the handler of admin commands. It returns the result of the command, or `errors` in the form of the HTTP API.
 * @throws every other error, so that Lambda counts the invocation as failed.
 */
export const createHandler =
  (handlers: CommandHandlers) =>
  async (event: unknown, { getRemainingTimeInMillis }: Context = {}): Promise<object> => {
    try {
      return await execute(handlers, event, {
        remaining: getRemainingTimeInMillis ?? (() => Number.POSITIVE_INFINITY),
      });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return createErrorDocument(inCommand(error));
    }
  };
