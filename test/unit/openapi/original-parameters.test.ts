import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { OperationDescription } from '../../../shared/openapi/operation.ts';
import { operations } from '../../../shared/openapi/operations/index.ts';
import { type RouteId, routeIds, routes } from '../../../shared/routes/index.ts';

/** The query parameters that HCP Terraform documents, compared with those of Holdfast and with docs/concepts/clients.md. */

const PAGES = ['page[number]', 'page[size]'];

/** Parameters of the original for each list that both have, besides those of pages. */
const ofOriginal: { readonly [R in RouteId]?: readonly string[] } = {
  'agent-pools.list': ['filter[allowed-workspaces][name]', 'q', 'sort'],
  'agents.list': ['filter[last-ping-since]', 'sort'],
  'organizations.list': ['include', 'q', 'q[email]', 'q[name]'],
  'memberships.list': ['q', 'filter[status]', 'filter[email]', 'include'],
  'memberships.list-own': ['include'],
  'projects.list-related-bindings': [],
  'applicable-varsets.list': ['q'],
  'recoverable-items.list': [
    'include',
    'filter[search]',
    'filter[having_managed_resources]',
    'filter[expires_after]',
    'filter[recoverable_type]',
    'sort',
  ],
  'projects.list': ['filter[names]', 'filter[permissions][create-workspace]', 'filter[permissions][update]', 'sort'],
  'workspaces.list': [
    'search[name]',
    'search[wildcard-name]',
    'filter[current-run][status]',
    'filter[project][id]',
    'filter[tagged]',
    'filter[tagged][value]',
    'filter[tag-union]',
    'filter[tag-value-default-null]',
    'sort',
    'include',
  ],
  'all-variables.list': [],
  'workspace-variables.list': [],
  'varsets.list': ['q', 'filter[global]', 'scope'],
  'varset-variables.list': [],
  'project-varsets.list': ['q', 'scope'],
  'workspace-varsets.list': ['q'],
  'remote-state-consumers.list': ['show_only_configured'],
  'tag-bindings.list-related': [],
  'workspace-tags.list': [],
  'runs.list': ['filter[operation]', 'filter[status]'],
  'state-versions.list': ['filter[workspace][name]', 'filter[organization][name]', 'filter[status]'],
  'state-versions.outputs': [],
  'state-versions.current-outputs': [],
  'agent-pool-tokens.list': [],
  'token-ttl-policies.list': [],
  'organization-team-tokens.list': ['q', 'filter[expiry_status]', 'sort'],
  'workspace-resources.list': ['q', 'sort'],
  'teams.list': ['q', 'filter[names]', 'include'],
  'teams.list-memberships': ['filter[status]', 'filter[is_service_account]', 'sort'],
  'team-projects.list': ['filter[project][id]', 'filter[team][id]'],
  'team-workspaces.list': ['filter[workspace][id]', 'filter[team][id]'],
  'ssh-keys.list': [],
  'oauth-clients.list': ['show_affected_workspaces'],
  'oauth-tokens.list': ['filter[provider]'],
  'oauth-tokens.list-of-client': [],
};

/** Lists that the original has not, or does not document. */
const others: readonly RouteId[] = [
  'deleted-workspaces.list',
  'effective-tag-bindings.list',
  'projects.list-bindings',
  'projects.list-effective-bindings',
  'reserved-tag-keys.list',
  'tag-bindings.list',
  'tags.list',
  'team-tokens.list',
  'user-tokens.list',
  'sessions.list',
  'linked-identities.list',
  'variables.list',
  'workload-identities.list',
  'sign-in.providers',
];

const describedAs = (route: RouteId): OperationDescription => operations[route];
const isPaged = (route: RouteId): boolean => ['page', 'list'].includes(describedAs(route).response?.kind ?? '');
const lists = routeIds.filter((route) => routes[route].method === 'GET' && isPaged(route));

const parametersOf = (route: RouteId): readonly string[] => {
  const { query = {}, include } = describedAs(route);
  return [...Object.keys(query), ...(include ? ['include'] : []), ...(isPaged(route) ? PAGES : [])];
};

/** Reads which parameters the page names as not served, as path and parameter. */
const namedOnPage = (): readonly string[] => {
  const page = readFileSync(new URL('../../../docs/concepts/clients.md', import.meta.url), 'utf8');
  const section = page.split(/^## /m).find((one) => one.startsWith('Query parameters of lists')) ?? '';
  return [...section.matchAll(/^\| `(\/[^`]+)` \| ([^|]+) \|/gm)].flatMap(([, path, parameters = '']) =>
    [...parameters.matchAll(/`([^`]+)`/g)].map(([, parameter]) => `${path} ${parameter}`),
  );
};

describe('query parameters of the original', () => {
  it('are in the table for every list', () => {
    expect([...Object.keys(ofOriginal), ...others].sort()).toEqual([...lists].sort());
  });

  it('work, or are named in docs/concepts/clients.md as not served', () => {
    const missing = Object.entries(ofOriginal).flatMap(([id, parameters]) => {
      const route = id as RouteId;
      const path = routes[route].path.replace('/api/v2', '');
      return parameters.filter((name) => !parametersOf(route).includes(name)).map((name) => `${path} ${name}`);
    });
    expect([...namedOnPage()].sort()).toEqual(missing.sort());
  });
});
