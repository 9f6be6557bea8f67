import { DomainError } from '../../shared/domain/errors.ts';
import { createErrorDocument } from '../../shared/http/error-response.ts';
import type { CommandKey, Parameters } from '../../shared/schemas/admin-commands.ts';
import type { ReportUse } from './break-glass.ts';
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

const execute = async (
  handlers: CommandHandlers,
  event: unknown,
  limit: TimeLimit,
  report: (key: CommandKey, parameters: object) => void,
): Promise<object> => {
  const { key, parameters } = adminCommands.read(event);
  // Before the command, so that also a use that fails or times out is counted.
  report(key, parameters);
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
  readonly awsRequestId?: string;
  readonly getRemainingTimeInMillis?: () => number;
}

/**
 * Creates the handler of admin commands. It returns the result of the command, or `errors` in the form of the HTTP API.
 * @param reportUse called with each valid command before it is executed.
 * @throws every other error, so that Lambda counts the invocation as failed.
 */
export const createHandler =
  (handlers: CommandHandlers, reportUse: ReportUse) =>
  async (event: unknown, { awsRequestId, getRemainingTimeInMillis }: Context = {}): Promise<object> => {
    try {
      const limit = { remaining: getRemainingTimeInMillis ?? (() => Number.POSITIVE_INFINITY) };
      return await execute(handlers, event, limit, (key, parameters) => reportUse(key, parameters, awsRequestId));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return createErrorDocument(inCommand(error));
    }
  };
