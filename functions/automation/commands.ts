import { categories } from '../../shared/domain/workspace/variable.ts';
import { retry, tryAgain } from '../../shared/lib/retry.ts';
import type { AutomationCommand, AutomationParameters } from '../../shared/schemas/automation-commands.ts';

/** A request of the HTTP API; `path` is relative to /api/v2. */
export interface ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

/** The response of a function. */
export interface ApiAnswer {
  readonly status: number;
  /** A JSON:API document; undefined where there is nothing to say. */
  readonly document: AnswerDocument | undefined;
}

interface AnswerDocument {
  readonly data?: unknown;
  readonly errors?: readonly { readonly source?: { readonly pointer?: string } }[];
}

/** Dependencies of a command: how to send requests, and the ids of named workspaces. */
interface Means {
  readonly ask: (request: ApiRequest) => Promise<ApiAnswer>;
  /** Of the workspace that the command is about; empty where there is none of that name. */
  readonly workspace: string;
  /** Finds the ids of further workspaces; an unknown name stays as it is, and gets the error of an unknown id. */
  readonly idsOf: (namesOrIds: readonly string[]) => Promise<readonly string[]>;
}

type Perform<C extends AutomationCommand> = (parameters: AutomationParameters<C>, means: Means) => Promise<ApiAnswer>;

type Parts = Readonly<Record<string, unknown>>;

const workspaceBody = (attributes: Parts | undefined, relationships: Parts | undefined) => ({
  data: { type: 'workspaces', ...(attributes && { attributes }), ...(relationships && { relationships }) },
});

/** A command that is one request about one workspace. */
const onWorkspace =
  <P>(method: string, path: string, body?: (parameters: P) => object) =>
  (parameters: P, { ask, workspace }: Means): Promise<ApiAnswer> =>
    ask({ method, path: `/workspaces/${workspace}${path}`, ...(body && { body: body(parameters) }) });

const tagElements = ({ tags }: { readonly tags: readonly string[] }) => ({
  data: tags.map((name) => ({ type: 'tags', attributes: { name } })),
});

const CONSUMERS = '/relationships/remote-state-consumers';
const changeConsumers =
  (method: string) =>
  async ({ consumers }: { readonly consumers: readonly string[] }, { ask, workspace, idsOf }: Means) => {
    const data = (await idsOf(consumers)).map((id) => ({ type: 'workspaces', id }));
    return ask({ method, path: `/workspaces/${workspace}${CONSUMERS}`, body: { data } });
  };

const SSH_KEY = '/relationships/ssh-key';

interface VariableName {
  readonly key: string;
  readonly category?: string;
}

/** Finds the id of a variable by its key; undefined if the caller sees none. */
const findVariable = async (
  { key, category = categories[0] }: VariableName,
  { ask, workspace }: Means,
): Promise<{ readonly answer: ApiAnswer; readonly id: string | undefined }> => {
  const answer = await ask({ method: 'GET', path: `/workspaces/${workspace}/vars` });
  const rows = (answer.document?.data ?? []) as { id: string; attributes: { key: string; category: string } }[];
  return { answer, id: rows.find(({ attributes: of }) => of.key === key && of.category === category)?.id };
};

const isTaken = ({ status, document }: ApiAnswer): boolean =>
  status === 422 && document?.errors?.[0]?.source?.pointer === '/data/attributes/key';

/** Number of attempts to set a variable that others create and delete at the same time. */
const ATTEMPTS = 3;

/** Creates a variable or, if its key is taken, updates the one that has it. */
const setVariable: Perform<'setVariable'> = async (parameters, means) => {
  const { key, category = categories[0], value, description, hcl, sensitive } = parameters;
  const given = { value, description, hcl, sensitive };
  const body = (attributes: object) => ({ data: { type: 'vars', attributes } });
  const path = `/workspaces/${means.workspace}/vars`;
  const setOnce = async (retries: number) => {
    const created = await means.ask({ method: 'POST', path, body: body({ key, category, ...given }) });
    if (!isTaken(created)) return created;
    const { id } = await findVariable({ key, category }, means);
    const response =
      id === undefined ? created : await means.ask({ method: 'PATCH', path: `${path}/${id}`, body: body(given) });
    const isDeletedMeanwhile = id === undefined || response.status === 404;
    return isDeletedMeanwhile && retries + 1 < ATTEMPTS ? tryAgain : response;
  };
  return retry(setOnce, { attempts: ATTEMPTS });
};

const deleteVariable: Perform<'deleteVariable'> = async (parameters, means) => {
  const { answer, id } = await findVariable(parameters, means);
  if (answer.status !== 200) return answer;
  // Without a variable, the request uses an id that does not exist, and returns 404.
  return means.ask({ method: 'DELETE', path: `/workspaces/${means.workspace}/vars/${id ?? 'none'}` });
};

/** The HTTP requests of each command. */
export const performers: { readonly [C in AutomationCommand]: Perform<C> } = {
  show: onWorkspace('GET', ''),
  create: ({ organization, attributes, relationships }, { ask }) =>
    ask({
      method: 'POST',
      path: `/organizations/${organization}/workspaces`,
      body: workspaceBody(attributes, relationships),
    }),
  update: onWorkspace('PATCH', '', ({ attributes, relationships }) => workspaceBody(attributes, relationships)),
  lock: onWorkspace('POST', '/actions/lock', ({ reason = '' }) => ({ reason })),
  unlock: onWorkspace('POST', '/actions/unlock'),
  forceUnlock: onWorkspace('POST', '/actions/force-unlock'),
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
  request: ({ method, path, body }, { ask }) => ask({ method, path, ...(body && { body }) }),
};
