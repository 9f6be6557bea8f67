import { createHash } from 'node:crypto';
import { DomainError, notFound } from '../../shared/domain/errors.ts';
import { isId } from '../../shared/domain/ids.ts';
import { createErrorResponse } from '../../shared/http/error-response.ts';
import { type Logger, messages } from '../../shared/logging/log.ts';
import type { AutomationCommand, AutomationParameters } from '../../shared/schemas/automation-commands.ts';
import { commandName } from '../../shared/schemas/command-name.ts';
import { validators } from '../../shared/schemas/compiled/automation.js';
import { errorOf } from '../../shared/schemas/error-messages.ts';
import type { Commands } from '../../shared/store/automation/command-records.ts';
import type { Workspaces } from '../../shared/store/workspaces/workspace-store.ts';
import { type ApiAnswer, type ApiRequest, performers } from './commands.ts';

export interface AutomationDependencies {
  readonly commands: Commands;
  readonly workspaces: Pick<Workspaces, 'find' | 'findClaim'>;
  /** Sends a request to the HTTP API as a service principal. */
  readonly request: (
    request: ApiRequest,
    caller: { readonly servicePrincipal: string; readonly requestId: string },
  ) => Promise<ApiAnswer>;
  readonly logger: Logger;
}

const names = new Map((Object.keys(performers) as AutomationCommand[]).map((key) => [commandName(key), key]));

interface Read<C extends AutomationCommand> {
  readonly key: C;
  readonly parameters: AutomationParameters<C>;
}

/** @throws DomainError 400 for what is no command, 422 for one with a parameter that it cannot have. */
const readCommand = (event: unknown): Read<AutomationCommand> => {
  const isObject = typeof event === 'object' && event !== null && !Array.isArray(event);
  const { command, ...parameters } = (isObject ? event : {}) as Record<string, unknown>;
  const key = typeof command === 'string' ? names.get(command) : undefined;
  if (key === undefined) {
    throw new DomainError('bad-request', `The command is none of ${[...names.keys()].join(', ')}.`, {
      source: { pointer: '/command' },
    });
  }
  const validate = validators[key];
  if (validate(parameters)) return { key, parameters: parameters as Read<AutomationCommand>['parameters'] };
  const [complaint] = validate.errors ?? [];
  throw complaint ? errorOf(complaint) : new DomainError('unprocessable');
};

/** Computes a digest of a command that does not depend on the order of its properties. */
const fingerprintOf = (value: unknown): string => {
  const inOrder = (_: string, part: unknown): unknown =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part;
  return createHash('sha256').update(JSON.stringify(value, inOrder)).digest('hex');
};

const NOTHING: ApiAnswer = { status: 204, document: undefined };
const deletions: readonly AutomationCommand[] = ['safeDelete', 'forceDelete'];

/** Returns the document of a response; an empty one for a response without body. */
const documentOf = ({ document }: ApiAnswer): object => document ?? { data: null };

const refusalOf = (error: DomainError): ApiAnswer => {
  const { statusCode, body } = createErrorResponse(error);
  return { status: statusCode, document: JSON.parse(body ?? '{}') };
};

/**
 * Creates the handler of automation commands. It returns the document, or the errors, of the same HTTP request.
 * @throws when the service is unavailable or fails, so that Lambda repeats an asynchronous invocation.
 */
export const createHandler = ({ commands, workspaces, request, logger }: AutomationDependencies) => {
  const idOf = async (organization: string, nameOrId: string): Promise<string | undefined> =>
    isId('workspace', nameOrId) ? nameOrId : (await workspaces.findClaim(organization, nameOrId))?.workspace;

  /** Whether an earlier attempt of the command has deleted the workspace, which is then not found. */
  const wasDeleted = async (workspace: string, requestId: string): Promise<boolean> => {
    const found = await workspaces.find(workspace);
    return found?.gone !== undefined && found.change.request === requestId;
  };

  const perform = async ({ key, parameters }: Read<AutomationCommand>): Promise<ApiAnswer> => {
    const { organization, principal: name, id } = parameters;
    const [servicePrincipal, named] = await Promise.all([
      commands.findServicePrincipal(organization, name),
      'workspace' in parameters ? idOf(organization, parameters.workspace) : undefined,
    ]);
    if (servicePrincipal === undefined) {
      throw new DomainError('unprocessable', `${organization} has no service principal of the name ${name}.`, {
        source: { pointer: '/principal' },
      });
    }
    const command = { principal: servicePrincipal, id, fingerprint: fingerprintOf({ key, parameters }) };
    const { workspace = '', resumed, answer } = await commands.begin(command, named);
    if (answer !== undefined) return answer as ApiAnswer;
    const requestId = `command:${servicePrincipal}:${id}`;
    const perform = performers[key] as (typeof performers)['request'];
    const response = await responseOf(async () => {
      if ('workspace' in parameters && workspace === '') throw notFound();
      const response = await perform(parameters as AutomationParameters<'request'>, {
        workspace,
        ask: (asked) => request(asked, { servicePrincipal, requestId }),
        idsOf: (all) => Promise.all(all.map(async (one) => (await idOf(organization, one)) ?? one)),
      });
      const isOwn = resumed && response.status === 404 && deletions.includes(key);
      return isOwn && (await wasDeleted(workspace, requestId)) ? NOTHING : response;
    });
    return (await commands.finish(command, response)) as ApiAnswer;
  };

  return async (event: unknown): Promise<object> => {
    const { command, id, organization, principal } = (event ?? {}) as Readonly<Record<string, unknown>>;
    const response = await responseOf(async () => perform(readCommand(event)));
    const details = { command, id, organization, principal, status: response.status };
    if (response.status < 400) logger.info(messages.AUTOMATION_COMPLETED, details);
    else logger.warn(messages.AUTOMATION_REJECTED, { ...details, errors: response.document?.errors });
    return documentOf(response);
  };
};

/** Converts an error to its response, except `unavailable`, which stays a failure of the invocation. */
const responseOf = async (work: () => Promise<ApiAnswer>): Promise<ApiAnswer> => {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError) || error.code === 'unavailable') throw error;
    return refusalOf(error);
  }
};
