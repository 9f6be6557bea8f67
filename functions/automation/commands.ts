import { categories } from '../../shared/domain/workspace/variable.ts';
import { retry, tryAgain } from '../../shared/lib/retry.ts';
import type { ApiRequest, ApiResponse } from '../../shared/runtime/api-requests.ts';
import type { AutomationCommand, AutomationParameters } from '../../shared/schemas/automation-commands.ts';

/** Context of a command: sends requests to the HTTP API, and maps names of workspaces to ids. */
interface CommandContext {
  readonly send: (request: ApiRequest) => Promise<ApiResponse>;
  /** Id of the workspace that the command names; empty if no workspace has the name. */
  readonly workspace: string;
  /** Finds the ids of further workspaces. An unknown name is returned unchanged and gets the error of an unknown id. */
  readonly idsOf: (namesOrIds: readonly string[]) => Promise<readonly string[]>;
}

type CommandExecutor<C extends AutomationCommand> = (
  parameters: AutomationParameters<C>,
  context: CommandContext,
) => Promise<ApiResponse>;

type Parts = Readonly<Record<string, unknown>>;

const workspaceBody = (attributes: Parts | undefined, relationships: Parts | undefined) => ({
  data: { type: 'workspaces', ...(attributes && { attributes }), ...(relationships && { relationships }) },
});

/** Creates the executor of a command that sends one request about one workspace. */
const onWorkspace =
  <P>(method: string, path: string, body?: (parameters: P) => object) =>
  (parameters: P, { send, workspace }: CommandContext): Promise<ApiResponse> =>
    send({ method, path: `/workspaces/${workspace}${path}`, ...(body && { body: body(parameters) }) });

const tagElements = ({ tags }: { readonly tags: readonly string[] }) => ({
  data: tags.map((name) => ({ type: 'tags', attributes: { name } })),
});

const CONSUMERS = '/relationships/remote-state-consumers';
const changeConsumers =
  (method: string) =>
  async ({ consumers }: { readonly consumers: readonly string[] }, { send, workspace, idsOf }: CommandContext) => {
    const data = (await idsOf(consumers)).map((id) => ({ type: 'workspaces', id }));
    return send({ method, path: `/workspaces/${workspace}${CONSUMERS}`, body: { data } });
  };

const SSH_KEY = '/relationships/ssh-key';

interface VariableName {
  readonly key: string;
  readonly category?: string;
}

/** Finds the id of a variable by its key; undefined if the caller sees none. */
const findVariable = async (
  { key, category = categories[0] }: VariableName,
  { send, workspace }: CommandContext,
): Promise<{ readonly response: ApiResponse; readonly id: string | undefined }> => {
  const response = await send({ method: 'GET', path: `/workspaces/${workspace}/vars` });
  const rows = (response.document?.data ?? []) as { id: string; attributes: { key: string; category: string } }[];
  return { response, id: rows.find(({ attributes: of }) => of.key === key && of.category === category)?.id };
};

const isTaken = ({ status, document }: ApiResponse): boolean =>
  status === 422 && document?.errors?.[0]?.source?.pointer === '/data/attributes/key';

/** Number of attempts to set a variable that other requests create and delete at the same time. */
const ATTEMPTS = 3;

/** Creates a variable, or updates the existing variable with that key. */
const setVariable: CommandExecutor<'setVariable'> = async (parameters, context) => {
  const { key, category = categories[0], value, description, hcl, sensitive } = parameters;
  const given = { value, description, hcl, sensitive };
  const body = (attributes: object) => ({ data: { type: 'vars', attributes } });
  const path = `/workspaces/${context.workspace}/vars`;
  const setOnce = async (retries: number) => {
    const created = await context.send({ method: 'POST', path, body: body({ key, category, ...given }) });
    if (!isTaken(created)) return created;
    const { id } = await findVariable({ key, category }, context);
    const response =
      id === undefined ? created : await context.send({ method: 'PATCH', path: `${path}/${id}`, body: body(given) });
    const isDeletedMeanwhile = id === undefined || response.status === 404;
    return isDeletedMeanwhile && retries + 1 < ATTEMPTS ? tryAgain : response;
  };
  return retry(setOnce, { attempts: ATTEMPTS });
};

const deleteVariable: CommandExecutor<'deleteVariable'> = async (parameters, context) => {
  const { response, id } = await findVariable(parameters, context);
  if (response.status !== 200) return response;
  // Without a variable, the request uses an id that does not exist, and returns 404.
  return context.send({ method: 'DELETE', path: `/workspaces/${context.workspace}/vars/${id ?? 'none'}` });
};

/** Executors of all commands: each sends the HTTP requests of its command. */
export const executors: { readonly [C in AutomationCommand]: CommandExecutor<C> } = {
  show: onWorkspace('GET', ''),
  create: ({ organization, attributes, relationships }, { send }) =>
    send({
      method: 'POST',
      path: `/organizations/${organization}/workspaces`,
      body: workspaceBody(attributes, relationships),
    }),
  update: onWorkspace('PATCH', '', ({ attributes, relationships }) => workspaceBody(attributes, relationships)),
  lock: onWorkspace('POST', '/actions/lock', ({ reason = '', 'lease-seconds': leaseSeconds }) => ({
    reason,
    'lease-seconds': leaseSeconds,
  })),
  unlock: onWorkspace('POST', '/actions/unlock'),
  forceUnlock: onWorkspace('POST', '/actions/force-unlock', ({ reason }) => ({ reason })),
  safeDelete: onWorkspace('POST', '/actions/safe-delete'),
  forceDelete: onWorkspace('DELETE', ''),
  addTags: onWorkspace('POST', '/relationships/tags', tagElements),
  removeTags: onWorkspace('DELETE', '/relationships/tags', tagElements),
  bindTags: onWorkspace('PATCH', '/tag-bindings', ({ bindings }) => ({
    data: Object.entries(bindings).map(([key, value]) => ({ type: 'tag-bindings', attributes: { key, value } })),
  })),
  setVariable,
  deleteVariable,
  addConsumers: changeConsumers('POST'),
  removeConsumers: changeConsumers('DELETE'),
  assignSshKey: onWorkspace('PATCH', SSH_KEY, ({ sshKey: id }) => ({
    data: { type: 'workspaces', attributes: { id } },
  })),
  unassignSshKey: onWorkspace('PATCH', SSH_KEY, () => ({ data: { type: 'workspaces', attributes: { id: null } } })),
  request: ({ method, path, body }, { send }) => send({ method, path, ...(body && { body }) }),
};
