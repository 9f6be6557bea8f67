import type { ApiRequest } from '../../../../shared/client/request.ts';

/**
 * Differences between Holdfast and other servers with the API of HCP Terraform. The requests of Holdfast are rewritten, and documents of
 * others get the members that the API of Holdfast has always. What such a member says stays open: a relationship without `data` is
 * unknown to the server.
 */

/** A resource of any server. */
export interface Resource {
  readonly id: string;
  readonly type: string;
  // biome-ignore lint/suspicious/noExplicitAny: documents of servers that no type describes.
  readonly attributes: Record<string, any>;
  // biome-ignore lint/suspicious/noExplicitAny: see above.
  readonly relationships: Record<string, any>;
}

/** A document of any server. */
export interface AnyDocument {
  readonly data?: unknown;
  readonly included?: unknown;
  readonly meta?: { readonly pagination?: Readonly<Record<string, unknown>> };
}

/** Returns whether the server of an organization is Holdfast. No other server has this setting. */
export const isHoldfast = ({ attributes }: { readonly attributes: object }): boolean =>
  'default-deletion-protection' in attributes;

/** Endpoints that only Holdfast has. */
const ownEndpoints: readonly RegExp[] = [/\/reserved-tag-keys$/, /\/workload-identities$/];

interface Rewrite {
  readonly path: RegExp;
  readonly replacement?: string;
  /** Query parameters that remain. */
  readonly parameters: readonly string[];
}

const rewrites: readonly Rewrite[] = [
  {
    path: /\/(workspaces|projects)\/([^/]+)\/tag-bindings$/,
    replacement: '/$1/$2/relationships/tag-bindings',
    parameters: [],
  },
  { path: /\/workspaces\/[^/]+\/vars$/, parameters: [] },
  { path: /\/varsets\/[^/]+\/relationships\/vars$/, parameters: [] },
  { path: /\/relationships\/remote-state-consumers$/, parameters: ['show_only_configured'] },
  { path: /\/team-workspaces$/, parameters: ['filter[workspace][id]', 'page[number]', 'page[size]'] },
  { path: /\/team-projects$/, parameters: ['filter[project][id]', 'page[number]', 'page[size]'] },
];

/** Returns the path of a URL, without the query. */
export const pathOf = (url: string): string => url.split('?')[0] ?? url;

/** Returns whether only Holdfast has an endpoint. */
export const isOwnEndpoint = (url: string): boolean => ownEndpoints.some((path) => path.test(pathOf(url)));

/**
 * Rewrites a request of Holdfast to that of other servers. Lists that are complete have no parameters of pages, unless the server has named
 * a next page.
 */
export const rewriteRequest = <D>(request: ApiRequest<D>): ApiRequest<D> => {
  const [path = '', query = ''] = request.url.split('?');
  const rewrite = rewrites.find((candidate) => candidate.path.test(path));
  if (rewrite === undefined) return request;
  const all = new URLSearchParams(query);
  const number = all.get('page[number]');
  const isLater = number !== null && number !== '1';
  const kept = [...all].filter(([name]) => rewrite.parameters.includes(name) || (isLater && name === 'page[number]'));
  const text = new URLSearchParams(kept).toString();
  const target = rewrite.replacement === undefined ? path : path.replace(rewrite.path, rewrite.replacement);
  return { ...request, url: text === '' ? target : `${target}?${text}` };
};

/** Relationships that the API of Holdfast always has. */
const relationships: Readonly<Record<string, readonly string[]>> = {
  organizations: ['default-project', 'default-agent-pool'],
  projects: ['default-agent-pool'],
  'organization-memberships': ['teams', 'user'],
  'agent-pools': ['allowed-workspaces', 'allowed-projects', 'excluded-workspaces'],
  'oauth-clients': ['oauth-tokens', 'projects'],
  varsets: ['parent', 'workspaces', 'projects'],
  workspaces: ['project', 'ssh-key', 'agent-pool', 'current-state-version'],
  'state-versions': ['created-by'],
};

/** Permissions that decide what is read. A server that does not name them is asked, and may refuse. */
const permissions: Readonly<Record<string, readonly string[]>> = {
  organizations: ['can-read-varsets', 'can-create-team', 'can-manage-membership'],
  projects: ['can-read-teams'],
  workspaces: ['can-read-variable', 'can-read-state-versions'],
};

/** Settings that are either own or inherited. Those that a server does not know are neither. */
const overwrites: Readonly<Record<string, readonly string[]>> = {
  projects: ['default-execution-mode', 'default-agent-pool', 'default-deletion-protection'],
  workspaces: ['execution-mode', 'agent-pool', 'deletion-protection'],
};

const setDefaults = (target: Record<string, unknown>, names: readonly string[] = [], value: () => unknown): void => {
  for (const name of names) target[name] ??= value();
};

const emptyToNull = (attributes: Record<string, unknown>, names: readonly string[]): void => {
  for (const name of names) if (attributes[name] === '') attributes[name] = null;
};

const nullToEmptyList = (attributes: Record<string, unknown>, names: readonly string[]): void => {
  for (const name of names) if (attributes[name] === null) attributes[name] = [];
};

/** Converts what a type has in another form. */
const converters: Readonly<Record<string, (resource: Resource, included: readonly Resource[]) => void>> = {
  organizations: ({ id, attributes }) => {
    attributes['name'] ??= id;
    // The id of nothing, as OTF writes it.
    if (attributes['owners-team-saml-role-id'] === '-') delete attributes['owners-team-saml-role-id'];
    for (const name of ['email', 'collaborator-auth-policy']) if (attributes[name] === '') delete attributes[name];
    // Whoever can change the organization sees everything in it.
    if (attributes['permissions']['can-update'] === true) {
      for (const name of permissions['organizations'] ?? []) attributes['permissions'][name] = true;
    }
  },
  'organization-memberships': ({ attributes, relationships: { user } }, included) => {
    const account = included.find(({ type, id }) => type === 'users' && id === user.data?.id);
    attributes['username'] ??= account?.attributes['username'] ?? null;
  },
  'oauth-clients': ({ id, attributes }) => {
    // The name is optional. Without one, the id tells two connections apart.
    attributes['name'] ||= `${attributes['service-provider'] ?? 'vcs'}-${id}`;
    emptyToNull(attributes, ['api-url']);
  },
  varsets: ({ attributes }) => {
    if (attributes['description'] === null) attributes['description'] = '';
  },
  'tag-bindings': ({ attributes }) => {
    attributes['value'] ??= '';
  },
  'state-versions': ({ attributes }) => {
    attributes['status'] ??= 'finalized';
    emptyToNull(attributes, ['vcs-commit-sha', 'vcs-commit-url']);
  },
  'data-retention-policy-delete-olders': ({ attributes }) => {
    const days = attributes['stateVersionsDeleteAfterNDays'] ?? attributes['deleteOlderThanNDays'] ?? null;
    attributes['delete-older-than-n-days'] ??= attributes['deleteStateVersions'] === false ? null : days;
  },
  workspaces: ({ id, attributes, relationships: related }) => {
    attributes['infra-version'] ??= attributes['terraform-version'];
    attributes['agent-pool-id'] ??= related['agent-pool'].data?.id ?? null;
    // Without projects, a workspace has the settings of the organization from its creation, and inherits nothing.
    if (related['project'].data === undefined) {
      for (const name of overwrites['workspaces'] ?? []) attributes['setting-overwrites'][name] = true;
    }
    emptyToNull(attributes, ['description', 'source-name', 'source-url', 'working-directory']);
    nullToEmptyList(attributes, ['tag-names', 'trigger-prefixes', 'trigger-patterns']);
    // A policy of its own is found by its request.
    related['data-retention-policy'] ??= { data: { type: 'data-retention-policies', id } };
  },
};

/** Completes a resource of another server. */
const completeResource = (resource: Resource, included: readonly Resource[]): Resource => {
  const { type, attributes } = resource;
  setDefaults(resource.relationships, relationships[type], () => ({}));
  if (permissions[type] !== undefined) {
    attributes['permissions'] ??= {};
    setDefaults(attributes['permissions'], permissions[type], () => true);
  }
  if (overwrites[type] !== undefined) {
    attributes['setting-overwrites'] ??= {};
    setDefaults(attributes['setting-overwrites'], overwrites[type], () => true);
  }
  converters[type]?.(resource, included);
  return resource;
};

const toResource = (value: unknown): Resource | undefined => {
  if (typeof value !== 'object' || value === null) return undefined;
  const { id = '', type, attributes = {}, relationships: related = {} } = value as Partial<Resource>;
  if (typeof id !== 'string' || typeof type !== 'string') return undefined;
  if ([attributes, related].some((member) => typeof member !== 'object' || member === null)) return undefined;
  return { ...value, id, type, attributes, relationships: related };
};

const toResources = (values: unknown): readonly Resource[] | undefined => {
  if (!Array.isArray(values)) return undefined;
  const resources = values.flatMap((value) => toResource(value) ?? []);
  return resources.length === values.length ? resources : undefined;
};

/**
 * Converts a document of another server to one of Holdfast.
 * @returns undefined if it is no document of JSON:API.
 */
export const normalizeDocument = (document: unknown): AnyDocument | undefined => {
  if (typeof document !== 'object' || document === null) return undefined;
  const { data, included: others, ...rest } = document as AnyDocument;
  const included = toResources(others ?? []);
  if (included === undefined || data === undefined) return undefined;
  if (data === null) return { ...rest, data };
  const isList = Array.isArray(data);
  const resources = toResources(isList ? data : [data]);
  if (resources === undefined) return undefined;
  const [first, ...more] = resources.map((resource) => completeResource(resource, included));
  return { ...rest, included, data: isList ? [...(first === undefined ? [] : [first]), ...more] : first };
};
