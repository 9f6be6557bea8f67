import { isPlainObject } from '../../../../shared/client/compare.ts';
import type { TeamProject } from '../../../../shared/client/projects.ts';
import type { TeamWorkspace } from '../../../../shared/client/team-access.ts';

/** Parts of custom access that the console does not offer: the service has no policies and run tasks. */
type NotOffered = 'access' | 'policy-overrides' | 'run-tasks' | 'sentinel-mocks';

/** Label of a part that is allowed or not, or the label of a part with those of its levels, in ascending order. */
type PartLabel<V> = [V] extends [boolean]
  ? string
  : readonly [label: string, levels: Readonly<Record<V & string, string>>];

type PartLabels<P> = { readonly [N in Exclude<keyof P, NotOffered>]: PartLabel<P[N]> };

const NO_ACCESS = 'No access';

const common = {
  runs: ['Runs', { read: 'Read', plan: 'Read and plan', apply: 'Read, plan and apply' }],
  variables: ['Variables', { none: NO_ACCESS, read: 'Read', write: 'Read and write' }],
  'state-versions': [
    'State',
    { none: NO_ACCESS, 'read-outputs': 'Read outputs only', read: 'Read', write: 'Read and write' },
  ],
} as const;

const LOCKING = 'Lock and unlock';

/** Parts of the access to a workspace (PERM-6). */
const workspaceParts: PartLabels<TeamWorkspace['attributes']> = { ...common, 'workspace-locking': LOCKING };

/** Parts of the access to a project itself (PERM-9). */
const projectParts: PartLabels<TeamProject['attributes']['project-access']> = {
  settings: ['Settings', { read: 'Read', update: 'Update', delete: 'Update, and delete the project' }],
  teams: ['Team access', { none: NO_ACCESS, read: 'Read', manage: 'Manage' }],
  'variable-sets': ['Variable sets', { none: NO_ACCESS, read: 'Read', write: 'Read and write' }],
};

/** Parts of the access to the workspaces of a project (PERM-9). */
const partsOfWorkspaces: PartLabels<TeamProject['attributes']['workspace-access']> = {
  ...common,
  locking: LOCKING,
  create: 'Create',
  delete: 'Delete',
  move: 'Move between projects',
};

type PartValue = string | boolean;

/** A part of custom access. A part without levels is allowed or not. */
export interface AccessPart {
  readonly name: string;
  readonly label: string;
  readonly levels: Readonly<Record<string, string>> | undefined;
}

/** Parts of custom access with one heading. */
export interface AccessGroup {
  readonly legend: string;
  /** Attribute that has the parts; undefined if each part is an attribute. */
  readonly attribute?: string;
  readonly parts: readonly AccessPart[];
}

const toParts = (labels: object): readonly AccessPart[] =>
  Object.entries(labels as Readonly<Record<string, PartLabel<string> | PartLabel<boolean>>>).map(([name, label]) =>
    typeof label === 'string' ? { name, label, levels: undefined } : { name, label: label[0], levels: label[1] },
  );

export const workspaceAccessGroups: readonly AccessGroup[] = [
  { legend: 'In the workspace', parts: toParts(workspaceParts) },
];

export const projectAccessGroups: readonly AccessGroup[] = [
  { legend: 'In the project', attribute: 'project-access', parts: toParts(projectParts) },
  { legend: 'In its workspaces', attribute: 'workspace-access', parts: toParts(partsOfWorkspaces) },
];

/** Values of the parts, by group and part. */
export type PartValues = readonly Readonly<Record<string, PartValue>>[];

const lowest = ({ levels }: AccessPart): PartValue => (levels === undefined ? false : (Object.keys(levels)[0] ?? ''));

/** Returns the values of the parts of an access, or the lowest values of a new one. */
export const toPartValues = (groups: readonly AccessGroup[], attributes: object | undefined): PartValues =>
  groups.map(({ attribute, parts }) => {
    const values = attribute === undefined ? attributes : Reflect.get(attributes ?? {}, attribute);
    const known = isPlainObject(values) ? values : {};
    return Object.fromEntries(parts.map((part) => [part.name, (known[part.name] as PartValue) ?? lowest(part)]));
  });

/** Returns the attributes with values of parts; groups without any are left out. */
export const toPartAttributes = (groups: readonly AccessGroup[], values: PartValues): object =>
  Object.fromEntries(
    groups.flatMap(({ attribute }, index): readonly (readonly [string, unknown])[] => {
      const parts = Object.entries(values[index] ?? {});
      if (attribute === undefined) return parts;
      return parts.length === 0 ? [] : [[attribute, Object.fromEntries(parts)]];
    }),
  );

/** Names the parts that an access includes in one line. */
export const partsInWords = (groups: readonly AccessGroup[], attributes: object): string | null => {
  const values = toPartValues(groups, attributes);
  const included = groups.flatMap(({ parts }, index) =>
    parts.flatMap((part) => {
      const value = values[index]?.[part.name];
      if (value === undefined || value === false || value === 'none') return [];
      return part.levels === undefined ? part.label : `${part.label}: ${part.levels[String(value)]?.toLowerCase()}`;
    }),
  );
  return included.join('; ') || null;
};
