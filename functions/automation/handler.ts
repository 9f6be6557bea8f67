import { canonicalJson } from '../../shared/domain/changes/entity-tags.ts';
import { DomainError, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { Fingerprints } from '../../shared/encryption/fingerprint.ts';
import type { DeadLetter, DeadLetters } from '../../shared/events/dead-letters.ts';
import { COMMANDS } from '../../shared/events/sources.ts';
import { createErrorDocument } from '../../shared/http/error-response.ts';
import { base58 } from '../../shared/lib/random.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import type { ApiRequest, ApiResponse, ServiceCaller } from '../../shared/runtime/api-requests.ts';
import type { AutomationCommand, AutomationParameters } from '../../shared/schemas/automation-commands.ts';
import { openCommands } from '../../shared/schemas/commands.ts';
import { errorOf } from '../../shared/schemas/error-messages.ts';
import type { CommandRecord, CommandReference, CommandStore } from '../../shared/store/automation/command-records.ts';
import type { Workspaces } from '../../shared/store/workspaces/workspace-store.ts';
import { commands as compiledCommands } from '../../shared/validators/compiled/automation.js';
import { executors } from './commands.ts';

export interface AutomationDependencies {
  readonly commands: CommandStore;
  readonly workspaces: Pick<Workspaces, 'findClaim'>;
  readonly fingerprints: Pick<Fingerprints, 'compute'>;
  /** Sends a request to the HTTP API as a service principal. */
  readonly request: (request: ApiRequest, caller: ServiceCaller) => Promise<ApiResponse>;
  /** Receives the commands on the bus that cannot be executed. */
  readonly deadLetters: DeadLetters;
  readonly logger: Logger;
}

/** Ends the invocation of a rejected command with `"refusals": "throw"` (AUTO-6). Step Functions catches it by its name. */
class CommandRefused extends Error {
  override readonly name = 'CommandRefused';
}

interface ReadCommand<C extends AutomationCommand> {
  readonly key: C;
  readonly parameters: AutomationParameters<C>;
}

/** The automation commands. They return the errors of the HTTP API. */
const { read, help } = openCommands(compiledCommands, {
  usage: 'Invoke the function with {"command": …, "id": …, "organization": …, "principal": …}',
  unknown: (_, names) =>
    new DomainError('bad-request', `command must be one of: ${names.join(', ')}.`, { source: { pointer: '/command' } }),
  invalid: errorOf,
});

/** Returns the detail of a command on the bus; undefined for a direct invocation. */
const busDetailOf = (event: unknown): { readonly detail: unknown } | undefined => {
  const { source, 'detail-type': type, detail } = Object(event) as Record<string, unknown>;
  return source === COMMANDS && type !== undefined ? { detail } : undefined;
};

/** Members of a command that say what it is about. All others can contain secrets. */
const references = ['command', 'id', 'organization', 'principal', 'refusals', 'workspace', 'key', 'category'];

/** Builds the dead letter of a command on the bus, without what can contain a secret (AUTO-7). */
const createDeadLetter = (event: unknown, detail: unknown, problem: string): DeadLetter => {
  const members = typeof detail === 'object' && detail !== null ? Object.entries(detail) : [];
  const isShown = ([name, value]: readonly [string, unknown]): boolean =>
    references.includes(name) && typeof value === 'string';
  const omitted = members.filter((member) => !isShown(member)).map(([name]) => name);
  const omission =
    omitted.length === 0 ? '' : ` Not in this message, because they can be secret: ${omitted.join(', ')}.`;
  return {
    reason: `The command cannot be executed: ${problem}${omission}`,
    event: { ...Object(event), detail: Object.fromEntries(members.filter(isShown)) },
  };
};

/** Returns whether a command changes nothing. It is executed each time, so it never returns an outdated response (AUTO-3). */
const isRead = ({ key, parameters }: ReadCommand<AutomationCommand>): boolean =>
  key === 'show' || ('method' in parameters && parameters.method === 'GET');

/** Converts the first error of a response to an error that ends the invocation, with the status and the detail. */
const rejectionOf = ({ status, document }: ApiResponse): CommandRefused => {
  const { title, detail, source } = document?.errors?.[0] ?? {};
  const pointer = source?.pointer === undefined ? '' : ` (${source.pointer})`;
  return new CommandRefused(
    `${[[status, title].filter(Boolean).join(' '), detail].filter(Boolean).join(': ')}${pointer}`,
  );
};

/**
 * Creates the handler of automation commands. It returns the document, or the errors, of the same HTTP request.
 * @throws CommandRefused for a rejected command with `"refusals": "throw"`; any other error when the service is unavailable
 * or fails, so that Lambda repeats an asynchronous invocation.
 */
export const createHandler = (dependencies: AutomationDependencies) => {
  const { commands, workspaces, fingerprints, request, deadLetters, logger } = dependencies;

  /** Identifies a command. Its fingerprint is keyed, so that nobody can guess a value in it from the table (AUTO-3). */
  const referenceTo = async (
    { key, parameters }: ReadCommand<AutomationCommand>,
    principal: string,
  ): Promise<CommandReference> => {
    // How a rejection is reported is not part of the command.
    const { refusals: _, ...content } = parameters;
    const { id } = content;
    const value = canonicalJson({ key, parameters: content });
    return { principal, id, fingerprint: await fingerprints.compute({ owner: principal, id, value }) };
  };

  const idOf = async (organization: string, nameOrId: string): Promise<string | undefined> =>
    isId('workspace', nameOrId) ? nameOrId : (await workspaces.findClaim(organization, nameOrId))?.workspace;

  const execute = async (sent: ReadCommand<AutomationCommand>): Promise<ApiResponse> => {
    const { key, parameters } = sent;
    const { organization, principal: name, id } = parameters;
    const [servicePrincipal, named] = await Promise.all([
      commands.findServicePrincipal(organization, name),
      'workspace' in parameters ? idOf(organization, parameters.workspace) : undefined,
    ]);
    if (servicePrincipal === undefined) {
      throw new DomainError(
        'unprocessable',
        `The organization ${organization} has no service principal ${name}. Create a team with service set to true.`,
        { source: { pointer: '/principal' } },
      );
    }
    const command = isRead(sent) ? undefined : await referenceTo(sent, servicePrincipal);
    const formerRequestId = `command:${servicePrincipal}:${id}`;
    const record: CommandRecord = command
      ? // The id of a command can be used again after a day, the id of a request cannot.
        await commands.begin(command, { workspace: named, request: `${formerRequestId}:${base58(8)}` })
      : { state: 'new', ...(named !== undefined && { workspace: named }) };
    const { workspace = '', state, answer, request: requestId = formerRequestId } = record;
    if (state === 'other') {
      const detail = 'The id of the command was used for another command within the last day.';
      throw new DomainError('unprocessable', detail, { source: { pointer: '/id' } });
    }
    if (state === 'complete') return answer as ApiResponse;
    const executor = executors[key] as (typeof executors)['request'];
    const attempt = state === 'new' ? 'first' : 'resumed';
    const response = await responseOf(async () => {
      if ('workspace' in parameters && workspace === '') throw notFound();
      return executor(parameters as AutomationParameters<'request'>, {
        workspace,
        send: (one) => request(one, { servicePrincipal, requestId, attempt }),
        idsOf: (all) => Promise.all(all.map(async (one) => (await idOf(organization, one)) ?? one)),
      });
    });
    return command ? ((await commands.finish(command, response)) as ApiResponse) : response;
  };

  /** Reads a command on the bus. A command that cannot be executed is sent to the dead-letter queue (AUTO-7). */
  const readBusCommand = async (event: unknown, detail: unknown): Promise<ReturnType<typeof read>> => {
    try {
      if (Object(detail).refusals !== undefined) {
        throw new DomainError('unprocessable', 'refusals is accepted in synchronous invocations only.', {
          source: { pointer: '/refusals' },
        });
      }
      return read(detail);
    } catch (error) {
      if (error instanceof DomainError) {
        const pointer = error.source && 'pointer' in error.source ? ` (${error.source.pointer})` : '';
        await deadLetters(createDeadLetter(event, detail, `${error.detail}${pointer}`));
      }
      throw error;
    }
  };

  return async (event: unknown): Promise<object> => {
    const bus = busDetailOf(event);
    const sent = (bus === undefined ? event : bus.detail) ?? {};
    const { command, id, organization, principal, refusals } = sent as Readonly<Record<string, unknown>>;
    const response = await responseOf(async () => {
      const { key, parameters } = bus === undefined ? read(event) : await readBusCommand(event, bus.detail);
      if (key === 'help') return { status: 200, document: help(parameters) as object };
      return execute({ key, parameters: parameters as ReadCommand<typeof key>['parameters'] });
    });
    const details = { command, id, organization, principal, status: response.status };
    if (response.status < 400) logger.info(messages.AUTOMATION_COMPLETED, details);
    else logger.warn(messages.AUTOMATION_REJECTED, { ...details, errors: response.document?.errors });
    if (response.status >= 400 && bus === undefined && refusals === 'throw') throw rejectionOf(response);
    return response.document ?? { data: null };
  };
};

/** Converts an error to its response. `unavailable` is thrown, so that the invocation fails and Lambda repeats it. */
const responseOf = async (work: () => Promise<ApiResponse>): Promise<ApiResponse> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'unavailable') throw error;
    const document = createErrorDocument(error);
    return { status: Number(document.errors[0].status), document };
  }
};
