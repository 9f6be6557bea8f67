import { computedId, prefixes } from '../../../shared/domain/ids.ts';
import { clientIdForConnection } from '../../../shared/domain/workspace/vcs.ts';
import { base58 } from '../../../shared/lib/random.ts';
import type { Api } from '../api/api.ts';
import { createSshKey } from '../api/create-ssh-key.ts';
import { buildState, inlineStateVersionBody } from '../api/states.ts';
import { configurationEvent, runEvent } from '../events/run-events.ts';

/** Everything in an organization that a request can name, and how one is made. */

/** What stands where a thing is named: its id, or its name. */
export type Form = (typeof kinds)[number]['forms'][number];

export type Values = Partial<Record<Form, string>>;

/** Where things are made, and by whom. */
export interface Place {
  readonly api: Api;
  readonly organization: string;
  /** An owner of it. */
  readonly owner: { readonly username: string; readonly token: string };
  /** Id of the project that workspaces are made in. */
  readonly project: string;
  /** Who may do anything with what is made here, beside owners: a user, by way of a team. */
  readonly member?: { readonly username: string; readonly team: string };
  /** What every name that is given here begins with, so that it is known wherever it turns up. */
  readonly label: string;
}

interface Kind {
  readonly forms: readonly string[];
  /** Whether a member of the organization without any access may not know of it. */
  readonly hides?: true;
  /** `other` gives what it is made with, by its form: a text here, as the forms follow from the kinds themselves. */
  readonly make: (place: Place, name: string, other: (form: string) => Promise<string>) => Promise<object>;
}

/** A command of the admin function that must not fail. */
export const command = async ({ api }: Pick<Place, 'api'>, name: string, parameters: Record<string, unknown>) => {
  const answer = await api.admin(name, parameters);
  if (answer.errors) throw new Error(`${name} ${JSON.stringify(parameters)}: ${JSON.stringify(answer.errors)}`);
  return answer;
};

const record =
  (commandName: string, key: string, parameters: object = {}) =>
  async (place: Place, name: string): Promise<{ id: string; name: string }> =>
    (await command(place, commandName, { organization: place.organization, name, ...parameters }))[key];

/** A further kind of thing is a further element here; its forms then stand wherever they may. */
const kinds = [
  {
    forms: ['organization name'],
    make: async ({ organization }) => ({ 'organization name': organization }),
  },
  {
    forms: ['empty organization name'],
    make: async (place, name) => {
      await command(place, 'create-organization', {
        name,
        email: `${name}@example.com`,
        owner: place.owner.username,
      });
      return { 'empty organization name': name };
    },
  },
  {
    forms: ['project id', 'project name'],
    hides: true,
    make: async (place, name) => {
      const project = await record('create-project', 'project')(place, name);
      const { organization, member } = place;
      if (member) {
        await command(place, 'grant-access', { organization, team: member.team, project: name, access: 'admin' });
      }
      return { 'project id': project.id, 'project name': project.name };
    },
  },
  {
    forms: ['workspace id', 'workspace name'],
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
    forms: ['team id', 'team name'],
    hides: true,
    make: async (place, name) => {
      const team = await record('create-team', 'team')(place, name);
      const { organization, member } = place;
      if (member) await command(place, 'add-member', { organization, team: name, username: member.username });
      return { 'team id': team.id, 'team name': team.name };
    },
  },
  {
    forms: ['workspace access id'],
    hides: true,
    make: async ({ api, organization, owner }, _, other) => {
      const [workspace, team] = [await other('workspace id'), await other('team id')];
      await command({ api }, 'grant-access', { organization, team, workspace, access: 'read' });
      const path = `/team-workspaces?filter%5Bworkspace%5D%5Bid%5D=${workspace}`;
      const { data } = (await api.request('GET', path, { token: owner.token })).body;
      const ofTeam = ({ relationships }: { relationships: { team: { data: { id: string } } } }) =>
        relationships.team.data.id === team;
      return { 'workspace access id': data.find(ofTeam).id };
    },
  },
  {
    forms: ['project access id'],
    hides: true,
    make: async ({ api, organization }, _, other) => {
      const [project, team] = [await other('project id'), await other('team id')];
      await command({ api }, 'grant-access', { organization, team, project, access: 'read' });
      return { 'project access id': computedId('projectAccess', project, team) };
    },
  },
  {
    forms: ['user id', 'username', 'token id', 'membership id'],
    make: async (place, username) => {
      const { user } = await command(place, 'create-user', { username, email: `${username}@example.com` });
      const { id } = await command(place, 'create-token', { kind: 'user', username });
      await command(place, 'add-member', { organization: place.organization, username });
      const path = `/organizations/${place.organization}/organization-memberships?q=${username}`;
      const { body } = await place.api.request('GET', path, { token: place.owner.token });
      return { 'user id': user.id, username, 'token id': id, 'membership id': body.data[0].id };
    },
  },
  {
    forms: ['agent pool id', 'agent pool name'],
    make: async (place, name) => {
      const pool = await record('create-agent-pool', 'agentPool')(place, name);
      return { 'agent pool id': pool.id, 'agent pool name': pool.name };
    },
  },
  {
    forms: ['SSH key id', 'SSH key name'],
    make: async ({ api, owner, organization }, name) => {
      const { id } = await createSshKey(api, owner.token, organization, name);
      return { 'SSH key id': id, 'SSH key name': name };
    },
  },
  {
    forms: ['connection id', 'connection name', 'client id'],
    make: async (place, name) => {
      const connection = record('create-vcs-connection', 'vcsConnection', {
        serviceProvider: 'github',
        httpUrl: 'https://github.com',
      });
      const { id } = await connection(place, name);
      return { 'connection id': id, 'connection name': name, 'client id': clientIdForConnection(id) };
    },
  },
  {
    forms: ['installation id', 'installation name'],
    make: async (place, name) => {
      const installation = record('create-app-installation', 'appInstallation');
      return { 'installation id': (await installation(place, name)).id, 'installation name': name };
    },
  },
  {
    // Every member may know of it; that it is on a workspace, only who may know of that.
    forms: ['tag id', 'tag name'],
    make: async ({ api, owner }, name, other) => {
      const path = `/workspaces/${await other('workspace id')}/relationships/tags`;
      const body = { data: [{ type: 'tags', attributes: { name } }] };
      await api.request('POST', path, { token: owner.token, body });
      const { data } = (await api.request('GET', path, { token: owner.token })).body;
      return { 'tag id': data[0].id, 'tag name': name };
    },
  },
  {
    forms: ['state version id', 'state output id'],
    hides: true,
    make: async ({ api, organization, owner: { token }, project }, name) => {
      // A workspace of its own: that of the others may be locked, or have a state already.
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
    forms: ['variable id', 'variable key'],
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
    forms: ['run id'],
    hides: true,
    make: async ({ api, organization }, message, other) => {
      const id = prefixes.run + base58(16);
      const event = runEvent({ id: await other('workspace id') }, id, 'plan_queued', 1, { message });
      await api.ingest('run.updated', { ...event, organization });
      return { 'run id': id };
    },
  },
  {
    forms: ['configuration version id'],
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
] as const satisfies readonly Kind[];

const kindOf = (form: Form): Kind => kinds.find(({ forms }) => (forms as readonly string[]).includes(form)) as Kind;

export const forms: readonly Form[] = kinds.flatMap((kind): readonly Form[] => kind.forms);

/** Whether a member of the organization without access to it may not know of it. */
export const isHidden = (form: Form): boolean => kindOf(form).hides ?? false;

/** One of everything, made when it is first asked for, and made anew after it may have been used up. */
export interface Things {
  readonly get: (form: Form) => Promise<string>;
  /** Gives up those of some forms, and what was made with them. */
  readonly renew: (used: readonly Form[]) => void;
  /** The values of those that were not given up, with what they are. */
  readonly known: () => ReadonlyMap<string, Form>;
}

interface Thing {
  readonly values: Promise<Values>;
  /** What it was made with. */
  readonly with: Set<Kind>;
  known: Values;
}

let made = 0;

export const openThings = (place: Place): Things => {
  const things = new Map<Kind, Thing>();
  const get = async (form: Form): Promise<string> => {
    const kind = kindOf(form);
    const thing = things.get(kind) ?? make(kind);
    thing.known = await thing.values;
    return thing.known[form] as string;
  };
  const make = (kind: Kind): Thing => {
    const others = new Set<Kind>();
    const other = (form: string): Promise<string> => {
      others.add(kindOf(form as Form));
      return get(form as Form);
    };
    const values = kind.make(place, `${place.label}-${++made}`, other) as Promise<Values>;
    const thing = { values, with: others, known: {} };
    things.set(kind, thing);
    return thing;
  };
  const giveUp = (kind: Kind): void => {
    things.delete(kind);
    for (const [other, { with: others }] of things) if (others.has(kind)) giveUp(other);
  };
  return {
    get,
    renew: (used) => {
      for (const form of used) giveUp(kindOf(form));
    },
    known: () =>
      new Map(
        [...things.values()].flatMap(({ known }) =>
          Object.entries(known).map(([form, value]): [string, Form] => [value, form as Form]),
        ),
      ),
  };
};

/** One that looks like it, letter for letter and digit for digit, and is nowhere. */
export const absentLike = (value: string): string => {
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
