import { prefixes as ids, isId } from '../../domain/ids.ts';
import { variablePartition } from '../dynamodb/keys.ts';

/**
 * The reads of the runner library (RUNNER-5). The library requests exactly these attributes, and the policy of
 * `grantReadSecrets` allows nothing else.
 */

const COMMON = ['pk', 'sk', 'ty', 'v'] as const;

/** Attributes of a workspace or a variable set, of its variables, and of the variable sets that are assigned to it. */
export const ownerAttributes = {
  workspace: [...COMMON, 'id', 'org', 'name', 'prj', 'gone', 'seq'],
  variableSet: [
    ...[...COMMON, 'id', 'organization', 'name', 'prj', 'gone', 'seq'],
    ...['global', 'priority', 'workspaces', 'projects'],
  ],
  variable: [
    ...[...COMMON, 'id', 'workspace', 'variableSet', 'category', 'key'],
    ...['value', 'sealed', 'ref', 'sensitive', 'hcl'],
  ],
  assigned: [...COMMON, 'variableSet'],
} as const;

/** Attributes of an organization or a project: the variable sets that apply, and the allowed value references. */
export const scopeAttributes = {
  assigned: ownerAttributes.assigned,
  global: [...COMMON, 'sets'],
  allowed: [...COMMON, 'allowedValueReferences'],
} as const;

type Attributes = Readonly<Record<string, readonly string[]>>;
const namesIn = (attributes: Attributes): string[] => [...new Set(Object.values(attributes).flat())];

/** Reads of one kind of partition, as an IAM policy limits them. */
export interface AllowedReads {
  readonly actions: readonly ('GetItem' | 'Query')[];
  readonly leadingKeys: readonly string[];
  /** Whether the leading keys contain wildcards. */
  readonly hasWildcards: boolean;
  readonly attributes: readonly string[];
}

/** Ids of the workspaces or variable sets that a grant covers. */
export type GrantedIds = readonly string[] | 'all';

/** Kinds of records that have variables. */
export type OwnerKind = 'workspace' | 'variableSet';

/** Returns the ids that do not have the form of the kind. */
export const malformedIds = (kind: OwnerKind, granted: readonly string[]): readonly string[] =>
  granted.filter((id) => !isId(kind, id));

/** Returns the pattern of all ids of a kind, with a wildcard of IAM. */
export const everyId = (kind: OwnerKind | 'variable'): string => `${ids[kind]}*`;

/** Returns the reads of the variables of some workspaces or variable sets. */
export const ownerReads = (kind: OwnerKind, granted: GrantedIds): AllowedReads => ({
  actions: ['GetItem', 'Query'],
  leadingKeys: (granted === 'all' ? [everyId(kind)] : granted).map(variablePartition),
  hasWildcards: granted === 'all',
  attributes: namesIn(ownerAttributes),
});

/**
 * Returns the reads of projects and organizations. Their ids are not known when access is granted: a workspace can move
 * to another project. In an organization, the keys of items contain ids of members and tokens, so it cannot be queried.
 */
export const scopeReads = (): readonly AllowedReads[] => {
  const common = { hasWildcards: true, attributes: namesIn(scopeAttributes) };
  return [
    { ...common, actions: ['GetItem', 'Query'], leadingKeys: [`PRJ#${ids.project}*`] },
    { ...common, actions: ['GetItem'], leadingKeys: ['ORG#*'] },
  ];
};
