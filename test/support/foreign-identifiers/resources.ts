import { computedId, prefixes } from '../../../shared/domain/ids.ts';
import { clientIdForConnection } from '../../../shared/domain/workspace/vcs.ts';
import { base58 } from '../../../shared/lib/random.ts';
import type { Api } from '../api/api.ts';
import { createSshKey } from '../api/create-ssh-key.ts';
import { startSession } from '../api/start-session.ts';
import { buildState, inlineStateVersionBody } from '../api/states.ts';
import { configurationEvent, runEvent } from '../events/run-events.ts';

/** Kind of id or name that identifies a resource in a request, such as `workspace id`. */
export type IdentifierKind = (typeof kinds)[number]['identifierKinds'][number];

export type Values = Partial<Record<IdentifierKind, string>>;

/** Organization and owner that the resources are created with. */
export interface ResourceContext {
  readonly api: Api;
  readonly organization: string;
  /** Owner of the organization. */
  readonly owner: { readonly username: string; readonly token: string };
  /** Id of the project of new workspaces. */
  readonly project: string;
  /** User with full access to the created resources through a team. */
  readonly member?: { readonly username: string; readonly team: string };
  /** Prefix of every created name, so that the name can be found in any response. */
  readonly label: string;
}

interface ResourceKind {
  readonly identifierKinds: readonly string[];
  /** Whether the resource is hidden from members without access to it. */
  readonly hides?: true;
  /**
   * Creates a resource. `other` returns an identifier of another resource by its kind. The kind is a string here, because
   * the type `IdentifierKind` is derived from this list.
   */
  readonly make: (
    place: ResourceContext,
    name: string,
    other: (identifierKind: string) => Promise<string>,
  ) => Promise<object>;
}

/** Runs a command of the admin function. @throws Error if it fails. */
export const runCommand = async (
  { api }: Pick<ResourceContext, 'api'>,
  name: string,
  parameters: Record<string, unknown>,
) => {
  const response = await api.admin(name, parameters);
  if (response.errors) throw new Error(`${name} ${JSON.stringify(parameters)}: ${JSON.stringify(response.errors)}`);
  return response;
};

const record =
  (commandName: string, key: string, parameters: object = {}) =>
  async (context: ResourceContext, name: string): Promise<{ id: string; name: string }> =>
    (await runCommand(context, commandName, { organization: context.organization, name, ...parameters }))[key];

/** Resource kinds. The suite tries the identifiers of each in every position that can take them. */
const kinds = [
  {
    identifierKinds: ['organization name'],
    make: async ({ organization }) => ({ 'organization name': organization }),
  },
  {
    identifierKinds: ['empty organization name'],
    make: async (context, name) => {
      await runCommand(context, 'create-organization', {
        name,
        email: `${name}@example.com`,
        owner: context.owner.username,
      });
      return { 'empty organization name': name };
    },
  },
  {
    identifierKinds: ['project id', 'project name'],
    hides: true,
    make: async (context, name) => {
      const project = await record('create-project', 'project')(context, name);
      const { organization, member } = context;
      if (member) {
        await runCommand(context, 'grant-access', { organization, team: member.team, project: name, access: 'admin' });
      }
      return { 'project id': project.id, 'project name': project.name };
    },
  },
  {
    identifierKinds: ['workspace id', 'workspace name'],
    hides: true,
    make: async ({ api, organization, owner, project }, name) => {
      const made = await api.request('POST', `/organizations/${organization}/workspaces`, {
        token: owner.token,
        body: {
          data: {
            type: 'workspaces',
            attributes: { name },
            relationships: { project: { data: { type: 'projects', id: project } } },
          },
        },
      });
      return { 'workspace id': made.body.data.id, 'workspace name': name };
    },
  },
  {
    identifierKinds: ['team id', 'team name'],
    hides: true,
    make: async (context, name) => {
      const team = await record('create-team', 'team')(context, name);
      const { organization, member } = context;
      if (member) await runCommand(context, 'add-member', { organization, team: name, username: member.username });
      return { 'team id': team.id, 'team name': team.name };
    },
  },
  {
    identifierKinds: ['workspace access id'],
    hides: true,
    make: async ({ api, organization, owner }, _, other) => {
      const [workspace, team] = [await other('workspace id'), await other('team id')];
      await runCommand({ api }, 'grant-access', { organization, team, workspace, access: 'read' });
      const path = `/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${workspace}`;
      const { data } = (await api.request('GET', path, { token: owner.token })).body;
      const ofTeam = ({ relationships }: { relationships: { team: { data: { id: string } } } }) =>
        relationships.team.data.id === team;
      return { 'workspace access id': data.find(ofTeam).id };
    },
  },
  {
    identifierKinds: ['project access id'],
    hides: true,
    make: async ({ api, organization }, _, other) => {
      const [project, team] = [await other('project id'), await other('team id')];
      await runCommand({ api }, 'grant-access', { organization, team, project, access: 'read' });
      return { 'project access id': computedId('projectAccess', project, team) };
    },
  },
  {
    identifierKinds: ['user id', 'username', 'token id', 'membership id'],
    make: async (context, username) => {
      const { user } = await runCommand(context, 'create-user', { username, email: `${username}@example.com` });
      const { id } = await runCommand(context, 'create-token', { kind: 'user', username });
      await runCommand(context, 'add-member', { organization: context.organization, username });
      const path = `/organizations/${context.organization}/organization-memberships?q=${username}`;
      const { body } = await context.api.request('GET', path, { token: context.owner.token });
      return { 'user id': user.id, username, 'token id': id, 'membership id': body.data[0].id };
    },
  },
  {
    identifierKinds: ['agent pool id', 'agent pool name'],
    make: async (context, name) => {
      const pool = await record('create-agent-pool', 'agentPool')(context, name);
      return { 'agent pool id': pool.id, 'agent pool name': pool.name };
    },
  },
  {
    identifierKinds: ['team token id'],
    hides: true,
    make: async ({ api, owner }, description, other) => {
      const path = `/teams/${await other('team id')}/authentication-tokens`;
      const body = { data: { type: 'authentication-tokens', attributes: { description } } };
      return { 'team token id': (await api.request('POST', path, { token: owner.token, body })).body.data.id };
    },
  },
  {
    identifierKinds: ['agent pool token id'],
    make: async ({ api, owner }, description, other) => {
      const path = `/agent-pools/${await other('agent pool id')}/authentication-tokens`;
      const body = { data: { type: 'authentication-tokens', attributes: { description } } };
      return { 'agent pool token id': (await api.request('POST', path, { token: owner.token, body })).body.data.id };
    },
  },
  {
    identifierKinds: ['reserved tag key id'],
    make: async ({ api, owner, organization }, name) => {
      const path = `/organizations/${organization}/reserved-tag-keys`;
      const body = { data: { type: 'reserved-tag-keys', attributes: { key: name } } };
      return { 'reserved tag key id': (await api.request('POST', path, { token: owner.token, body })).body.data.id };
    },
  },
  {
    identifierKinds: ['workload identity id', 'workload identity name'],
    hides: true,
    make: async ({ api, owner, organization }, name, other) => {
      const path = `/organizations/${organization}/workload-identities`;
      const team = { data: { type: 'teams', id: await other('team id') } };
      const attributes = { name, issuer: 'https://issuer.example.com', conditions: [{ claim: '/sub', equals: ['x'] }] };
      const body = { data: { type: 'workload-identities', attributes, relationships: { team } } };
      const { id } = (await api.request('POST', path, { token: owner.token, body })).body.data;
      return { 'workload identity id': id, 'workload identity name': name };
    },
  },
  {
    identifierKinds: ['bulk job id'],
    hides: true,
    make: async ({ api, owner, organization }, _, other) => {
      const selection = { ids: [await other('workspace id')] };
      const attributes = { action: 'update', parameters: { description: 'x' }, selection };
      const body = { data: { type: 'bulk-jobs', attributes } };
      const path = `/organizations/${organization}/bulk-jobs`;
      const { id } = (await api.request('POST', path, { token: owner.token, body })).body.data;
      await api.lambda.runDeferred();
      return { 'bulk job id': id };
    },
  },
  {
    identifierKinds: ['session id'],
    make: async ({ api, organization, owner }) => {
      const { id } = (await api.request('GET', '/account/details', { token: owner.token })).body.data;
      // The sessions of an identity provider are next to each other, whatever the organization.
      return { 'session id': await startSession(api, id, organization) };
    },
  },
  {
    identifierKinds: ['SSH key id', 'SSH key name'],
    make: async ({ api, owner, organization }, name) => {
      const { id } = await createSshKey(api, owner.token, organization, name);
      return { 'SSH key id': id, 'SSH key name': name };
    },
  },
  {
    identifierKinds: ['connection id', 'connection name', 'client id'],
    make: async (context, name) => {
      const connection = record('create-vcs-connection', 'vcsConnection', {
        serviceProvider: 'github',
        httpUrl: 'https://github.com',
      });
      const { id } = await connection(context, name);
      return { 'connection id': id, 'connection name': name, 'client id': clientIdForConnection(id) };
    },
  },
  {
    identifierKinds: ['installation id', 'installation name'],
    make: async (context, name) => {
      const installation = record('create-app-installation', 'appInstallation');
      return { 'installation id': (await installation(context, name)).id, 'installation name': name };
    },
  },
  {
    // All members can read a tag, but only callers that can read the workspace see its use there.
    identifierKinds: ['tag id', 'tag name'],
    make: async ({ api, owner }, name, other) => {
      const path = `/workspaces/${await other('workspace id')}/relationships/tags`;
      const body = { data: [{ type: 'tags', attributes: { name } }] };
      await api.request('POST', path, { token: owner.token, body });
      const { data } = (await api.request('GET', path, { token: owner.token })).body;
      return { 'tag id': data[0].id, 'tag name': name };
    },
  },
  {
    identifierKinds: ['state version id', 'state output id'],
    hides: true,
    make: async ({ api, organization, owner: { token }, project }, name) => {
      // Uses a new workspace, because the shared one may be locked or have a state.
      const relationships = { project: { data: { type: 'projects', id: project } } };
      const body = { data: { type: 'workspaces', attributes: { name }, relationships } };
      const made = await api.request('POST', `/organizations/${organization}/workspaces`, { token, body });
      const path = `/workspaces/${made.body.data.id}`;
      const state = buildState({ outputs: { [name]: { value: name, type: 'string' } } });
      await api.request('POST', `${path}/actions/lock`, { token });
      await api.request('POST', `${path}/state-versions`, {
        token,
        body: inlineStateVersionBody(state, { 'json-state': 'e30=' }),
      });
      await api.request('POST', `${path}/actions/unlock`, { token });
      const { data } = (await api.request('GET', `${path}/current-state-version?include=outputs`, { token })).body;
      return { 'state version id': data.id, 'state output id': data.relationships.outputs.data[0].id };
    },
  },
  {
    identifierKinds: ['variable id', 'variable key'],
    hides: true,
    make: async ({ api, owner }, key, other) => {
      const made = await api.request('POST', `/workspaces/${await other('workspace id')}/vars`, {
        token: owner.token,
        body: { data: { type: 'vars', attributes: { key, category: 'env' } } },
      });
      return { 'variable id': made.body.data.id, 'variable key': key };
    },
  },
  {
    identifierKinds: ['variable set id', 'variable set name'],
    hides: true,
    make: async ({ api, organization, owner, project }, name) => {
      // The project owns the variable set, so that a member with access to the project can manage it.
      const relationships = { parent: { data: { type: 'projects', id: project } } };
      const made = await api.request('POST', `/organizations/${organization}/varsets`, {
        token: owner.token,
        body: { data: { type: 'varsets', attributes: { name }, relationships } },
      });
      return { 'variable set id': made.body.data.id, 'variable set name': name };
    },
  },
  {
    identifierKinds: ['set variable id', 'set variable key'],
    hides: true,
    make: async ({ api, owner }, key, other) => {
      const made = await api.request('POST', `/varsets/${await other('variable set id')}/relationships/vars`, {
        token: owner.token,
        body: { data: { type: 'vars', attributes: { key, category: 'env' } } },
      });
      return { 'set variable id': made.body.data.id, 'set variable key': key };
    },
  },
  {
    identifierKinds: ['run id'],
    hides: true,
    make: async ({ api, organization }, message, other) => {
      const id = prefixes.run + base58(16);
      const event = runEvent({ id: await other('workspace id') }, id, 'plan_queued', 1, { message });
      await api.ingest('run.updated', { ...event, organization });
      return { 'run id': id };
    },
  },
  {
    identifierKinds: ['configuration version id'],
    hides: true,
    make: async ({ api, organization }, source, other) => {
      const id = prefixes.configurationVersion + base58(16);
      const event = configurationEvent({ id: await other('workspace id') }, id, 'uploaded', {
        source,
        'ingress-attributes': { branch: source },
      });
      await api.ingest('configuration-version.updated', { ...event, organization });
      return { 'configuration version id': id };
    },
  },
] as const satisfies readonly ResourceKind[];

const findResourceKind = (identifierKind: IdentifierKind): ResourceKind =>
  kinds.find(({ identifierKinds }) => (identifierKinds as readonly string[]).includes(identifierKind)) as ResourceKind;

export const identifierKinds: readonly IdentifierKind[] = kinds.flatMap(
  (kind): readonly IdentifierKind[] => kind.identifierKinds,
);

/** Reports whether the identified resource is hidden from members without access to it. */
export const isHidden = (identifierKind: IdentifierKind): boolean => findResourceKind(identifierKind).hides ?? false;

/** Set with one resource of each kind, created on first use and created again after `renew`. */
export interface ResourceSet {
  readonly get: (identifierKind: IdentifierKind) => Promise<string>;
  /** Discards the resources of these identifier kinds and those that depend on them. */
  readonly renew: (used: readonly IdentifierKind[]) => void;
  /** Maps the identifiers of the current resources to their kinds. */
  readonly known: () => ReadonlyMap<string, IdentifierKind>;
}

interface Thing {
  readonly values: Promise<Values>;
  /** Kinds of the resources that it depends on. */
  readonly with: Set<ResourceKind>;
  known: Values;
}

let made = 0;

export const createResourceSet = (context: ResourceContext): ResourceSet => {
  const things = new Map<ResourceKind, Thing>();
  const get = async (identifierKind: IdentifierKind): Promise<string> => {
    const kind = findResourceKind(identifierKind);
    const thing = things.get(kind) ?? make(kind);
    thing.known = await thing.values;
    return thing.known[identifierKind] as string;
  };
  const make = (kind: ResourceKind): Thing => {
    const others = new Set<ResourceKind>();
    const other = (identifierKind: string): Promise<string> => {
      others.add(findResourceKind(identifierKind as IdentifierKind));
      return get(identifierKind as IdentifierKind);
    };
    const values = kind.make(context, `${context.label}-${++made}`, other) as Promise<Values>;
    const thing = { values, with: others, known: {} };
    things.set(kind, thing);
    return thing;
  };
  const discard = (kind: ResourceKind): void => {
    things.delete(kind);
    for (const [other, { with: others }] of things) if (others.has(kind)) discard(other);
  };
  return {
    get,
    renew: (used) => {
      for (const identifierKind of used) discard(findResourceKind(identifierKind));
    },
    known: () =>
      new Map(
        [...things.values()].flatMap(({ known }) =>
          Object.entries(known).map(([identifierKind, value]): [string, IdentifierKind] => [
            value,
            identifierKind as IdentifierKind,
          ]),
        ),
      ),
  };
};

/** Creates an identifier of the same format, in letters and digits, that no resource has. */
export const createAbsentIdentifier = (value: string): string => {
  const [, prefix] = /^([a-z]+-)[1-9A-HJ-NP-Za-km-z]{16}$/.exec(value) ?? [];
  if (prefix !== undefined) return prefix + base58(16);
  const letters = [
    ...base58(value.length)
      .replaceAll(/[^a-z]/gi, 'x')
      .toLowerCase(),
  ];
  const digits = [...base58(value.length)].map((letter) => letter.charCodeAt(0) % 10);
  return [...value]
    .map((letter, index) => (/[a-z]/.test(letter) ? letters[index] : /\d/.test(letter) ? digits[index] : letter))
    .join('');
};
