import type { AgentPoolScope } from '../../domain/directory/records.ts';

/** The lists of the scope of an agent pool, by relationship. */
export const scopeRelationships = {
  'allowed-workspaces': 'allowedWorkspaces',
  'allowed-projects': 'allowedProjects',
  'excluded-workspaces': 'excludedWorkspaces',
} as const satisfies Readonly<Record<string, keyof AgentPoolScope>>;

export type ScopeRelationship = keyof typeof scopeRelationships;
export const scopeRelationshipNames = Object.keys(scopeRelationships) as readonly ScopeRelationship[];

/** The relationships of a body with the scope of an agent pool. */
export type ScopeRelationships = {
  readonly [R in ScopeRelationship]?: { readonly data?: readonly { readonly id: string }[] | null } | null;
};

/** The lists of the scope of an agent pool in a request, without duplicates. A list that is omitted or null is absent. */
export type ScopeLists = { readonly [R in ScopeRelationship]?: readonly string[] };

/** Reads the relationships of a body. */
export const readScope = (relationships: ScopeRelationships | undefined): ScopeLists =>
  Object.fromEntries(
    scopeRelationshipNames.flatMap((name) => {
      const data = relationships?.[name]?.data;
      return data ? [[name, [...new Set(data.map(({ id }) => id))]]] : [];
    }),
  );
