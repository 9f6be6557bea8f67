import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { memberName } from '../../../../shared/client/memberships.ts';
import { apiRequest } from '../../../../shared/client/request.ts';
import type { Workspace } from '../../../../shared/client/types.ts';
import { membershipsQuery } from '../api/memberships.ts';
import { organizationsQuery, organizationTagsQuery, projectsQuery, useMissingCreation } from '../api/organizations.ts';
import { apiQuery } from '../api/query-client.ts';
import { teamsQuery } from '../api/team-access.ts';
import { variableSetsQuery } from '../api/variable-sets.ts';
import { foundVariablesQuery } from '../api/variables.ts';
import type { IconName } from '../components/icon.tsx';
import { recentPages } from '../lib/recent-pages.ts';
import { useDebounced } from '../lib/use-debounced.ts';
import { organizationPages, userPages, workspacePages } from './navigation.ts';

/** Something that the palette opens. */
export interface Entry {
  /** Address below the base path. */
  readonly path: string;
  readonly label: string;
  /** Heading of the entries of its kind. */
  readonly group: string;
  /** Says where it is, if the name alone does not. */
  readonly detail?: string;
  readonly icon: IconName;
}

/** The result of a search. */
export interface FoundEntries {
  /** Entries of one group follow each other. */
  readonly entries: readonly Entry[];
  readonly isLoading: boolean;
}

const workspacesByName = (organization: string, name: string) =>
  apiQuery(
    apiRequest('get', '/api/v2/organizations/{organization_name}/workspaces', {
      path: { organization_name: organization },
      query: { 'search[name]': name, 'page[size]': 20 },
    }),
  );

/** Kinds of things by the part of the address that names their list. */
const kinds: Readonly<Record<string, readonly [group: string, icon: IconName]>> = {
  workspaces: ['Workspaces', 'workspace'],
  projects: ['Projects', 'project'],
  'variable-sets': ['Variable sets', 'variables'],
  teams: ['Teams', 'team'],
  members: ['Members', 'member'],
  'bulk-jobs': ['Bulk jobs', 'bulk-job'],
};

const pathTo = (...parts: readonly string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;

const thing = (organization: string, list: string, id: string, label: string): Entry => {
  const [group, icon] = kinds[list] ?? ['Pages', 'workspace'];
  return { path: pathTo(organization, list, id), label, group, icon };
};

const normalize = (text: string): string => text.trim().toLowerCase();

/** Rank of a name: equal ones first, then those that start with the text. */
const rankOf = (label: string, text: string): number => {
  const name = label.toLowerCase();
  return name === text ? 0 : name.startsWith(text) ? 1 : 2;
};

/** Words that lead to a page of a workspace, or that lock or unlock it. */
const verbs = [
  { verb: 'lock', path: '#lock', icon: 'lock' },
  { verb: 'unlock', path: '#unlock', icon: 'unlocked' },
  ...workspacePages
    .slice(1)
    .map(({ to, label }) => ({ verb: label.toLowerCase(), path: `/${to.split('/')[4]}`, icon: 'workspace' }) as const),
] as const;

type Verb = (typeof verbs)[number];

/** Splits a text such as "lock network" into what to do and the name of a workspace. Without a name, it is the open one. */
const readCommand = (text: string, opened: string) => {
  const [, first = '', name] = /^(\S+)(?:\s+(.+))?$/.exec(text) ?? [];
  const matching: readonly Verb[] = first.length < 2 ? [] : verbs.filter(({ verb }) => verb.startsWith(first));
  return { matching, isNamed: name !== undefined, name: name ?? opened.toLowerCase() };
};

const isPossible = ({ verb }: Verb, { attributes: { locked, permissions } }: Workspace): boolean => {
  if (verb === 'lock') return !locked && permissions['can-lock'] === true;
  return verb !== 'unlock' || locked;
};

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Finds pages, and everything of an organization that the caller may read, by a part of its name. */
export const useEntries = (organization: string | undefined, typed: string): FoundEntries => {
  const text = normalize(typed);
  const search = useDebounced(text, 150);
  const within = organization ?? '';
  const isWithin = organization !== undefined;
  // Lists that the caller may not read add nothing.
  const found = { enabled: isWithin && search !== '', placeholderData: keepPreviousData, retry: false } as const;
  const { workspace: opened = '' } = useParams({ strict: false });
  const command = readCommand(search, opened);
  const workspaces = useQuery({
    ...workspacesByName(within, search),
    enabled: isWithin,
    placeholderData: keepPreviousData,
  });
  const commanded = useQuery({
    ...workspacesByName(within, command.name),
    enabled: isWithin && command.matching.length > 0 && command.name !== '',
  });
  const projects = useQuery({ ...projectsQuery(within, search), ...found });
  const teams = useQuery({ ...teamsQuery(within, search), ...found });
  const members = useQuery({ ...membershipsQuery(within, search), ...found });
  const tags = useQuery({ ...organizationTagsQuery(within, search), ...found });
  const sets = useQuery({ ...variableSetsQuery(within, search), ...found });
  const variables = useQuery({ ...foundVariablesQuery(within, search), ...found });
  const organizations = useQuery({ ...organizationsQuery(), enabled: !isWithin });
  const permissions = organizations.data?.document.data.find(({ id }) => id === within)?.attributes.permissions;
  const missing = useMissingCreation(within);

  const things: readonly Entry[] = isWithin
    ? [
        ...(workspaces.data?.document.data ?? []).map(({ attributes: { name } }) =>
          thing(within, 'workspaces', name, name),
        ),
        ...(projects.data?.document.data ?? []).map(({ id, attributes }) =>
          thing(within, 'projects', id, attributes.name),
        ),
        ...(teams.data?.document.data ?? []).map(({ id, attributes }) => thing(within, 'teams', id, attributes.name)),
        ...(members.data?.document.data ?? []).map((member) =>
          thing(within, 'members', member.relationships.user.data?.id ?? member.id, memberName(member)),
        ),
        ...(tags.data?.document.data ?? []).map(
          ({ attributes: { name } }): Entry => ({
            path: `${pathTo(within, 'workspaces')}?${new URLSearchParams({ tags: name })}`,
            label: name,
            group: 'Tags',
            icon: 'tag',
          }),
        ),
        ...(sets.data?.document.data ?? []).map(({ id, attributes }) =>
          thing(within, 'variable-sets', id, attributes.name),
        ),
        ...(variables.data?.document.data ?? []).map(
          ({ attributes: { key, 'owner-name': owner }, relationships: { varset } }): Entry => ({
            path:
              varset.data === null
                ? pathTo(within, 'workspaces', owner, 'variables')
                : pathTo(within, 'variable-sets', varset.data.id),
            label: key,
            group: 'Variables',
            detail: `of ${owner}`,
            icon: 'variables',
          }),
        ),
      ]
    : (organizations.data?.document.data ?? []).map(
        ({ id }): Entry => ({ path: pathTo(id), label: id, group: 'Organizations', icon: 'home' }),
      );
  const pages: readonly Entry[] = [
    ...(isWithin ? organizationPages : []).map(
      ({ to, label, icon }): Entry => ({
        path: to.replace('/$organization', pathTo(within)),
        label,
        group: 'Pages',
        icon,
      }),
    ),
    ...userPages.map(({ to, label }): Entry => ({ path: to, label, group: 'Pages', icon: 'member' })),
  ];
  const creations: readonly Entry[] = (
    [
      ['workspaces', 'New workspace', missing === undefined],
      ['projects', 'New project', permissions?.['can-create-project']],
      ['variable-sets', 'New variable set', permissions?.['can-manage-varsets']],
      ['teams', 'New team', permissions?.['can-create-team']],
      ['members', 'Invite a user', permissions?.['can-manage-membership']],
    ] as const
  )
    .filter(([, , isAllowed]) => isWithin && isAllowed)
    .map(([list, label]): Entry => ({ path: `${pathTo(within, list)}#new`, label, group: 'Actions', icon: 'plus' }));
  const commands: readonly Entry[] = (commanded.data?.document.data ?? [])
    .filter(({ attributes: { name } }) => search === text && (command.isNamed || name === opened))
    .sort((a, b) => rankOf(a.attributes.name, command.name) - rankOf(b.attributes.name, command.name))
    .flatMap((workspace) =>
      command.matching
        .filter((verb) => isPossible(verb, workspace))
        .map(
          ({ verb, path, icon }): Entry => ({
            path: pathTo(within, 'workspaces', workspace.attributes.name) + path,
            label: `${capitalize(verb)} ${workspace.attributes.name}`,
            group: verb.endsWith('lock') ? 'Actions' : 'Pages',
            icon,
          }),
        ),
    );
  const recent = recentPages()
    .filter(({ path }) => isWithin && path.startsWith(`${pathTo(within)}/`))
    .map(
      ({ path, name }): Entry => ({
        ...thing(within, path.split('/')[2] ?? '', '', name),
        path,
        ...(text === '' && { group: 'Opened last' }),
      }),
    );

  // Until the result is there, the former one is shown, of which Enter must not open something else.
  const matching = [...(command.isNamed ? [] : commands), ...recent, ...things, ...creations, ...pages].filter(
    ({ label }) => label.toLowerCase().includes(text),
  );
  // What was opened before is also among the things: it keeps the first place.
  const places = matching.map(({ path, label }) => `${path} ${label}`);
  const ranked = matching
    .filter((_, index) => places.indexOf(places[index] ?? '') === index)
    .sort((a, b) => (text === '' ? 0 : rankOf(a.label, text) - rankOf(b.label, text)));
  const more: readonly Entry[] =
    search === text && variables.data?.document.links.next
      ? [
          {
            path: `${pathTo(within, 'variables')}?${new URLSearchParams({ key: search })}`,
            label: `All variables that begin with ${search}`,
            group: 'Variables',
            icon: 'variables',
          },
        ]
      : [];
  const entries = [...(command.isNamed ? commands : []), ...ranked, ...more];
  // A group has the place of its first entry.
  const groups = [...new Set(entries.map(({ group }) => group))];
  return {
    entries: entries.sort((a, b) => groups.indexOf(a.group) - groups.indexOf(b.group)),
    isLoading:
      search !== text ||
      [workspaces, commanded, projects, teams, members, tags, sets, variables, organizations].some(
        ({ isFetching }) => isFetching,
      ),
  };
};
