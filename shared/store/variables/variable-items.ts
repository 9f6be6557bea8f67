import { absent, all, type Condition, equals } from '../../domain/changes/conditions.ts';
import type { Category, Variable } from '../../domain/workspace/variable.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import { render } from '../dynamodb/expressions.ts';
import type { Item } from '../dynamodb/item.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import { keys } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';

/** Where the variable of an id lies, and whose it is. */
export interface VariablePlace {
  readonly id: string;
  readonly organization: string;
  readonly workspace: string;
  /** Of the workspace when the variable was created. */
  readonly project: string;
  readonly category: Category;
  readonly key: string;
}

const keyOf = ({ workspace, category, key }: Pick<Variable, 'workspace' | 'category' | 'key'>) =>
  keys.variable(workspace, category, key);

export const variableOf = (item: Item): Variable => {
  const { id, workspace, category, key, value, sealed, description, hcl, createdAt, version } = item;
  const content = sealed === undefined ? { value } : { sealed };
  return { id, workspace, category, key, content, description, hcl, createdAt, version } as Variable;
};

const itemOf = ({ content, ...variable }: Variable): Item => ({
  ...keyOf(variable),
  ...variable,
  ...content,
  ...typeAndVersion('variable'),
});

/** Undefined for the pointer of a variable that was deleted. */
export const placeOf = (item: Item | undefined): VariablePlace | undefined => {
  if (item === undefined || item['ty'] !== 'variable-id' || item['gone'] !== undefined) return undefined;
  const { id, organization, workspace, project, category, key } = item;
  return { id, organization, workspace, project, category, key } as VariablePlace;
};

const STANDS = absent('gone');
const isAt = ({ category, key }: Pick<Variable, 'category' | 'key'>): Condition =>
  all(STANDS, equals('category', category), equals('key', key));

/** The pointer first: ids are never used twice, so that one is there says more than that a key is taken. */
export const variableCreation = (
  variable: Variable,
  { organization, project }: Pick<Workspace, 'organization' | 'project'>,
): Write[] => {
  const { id, workspace, category, key } = variable;
  const fresh = render({ condition: absent('pk') });
  const pointer = keys.pointer(id);
  const place: VariablePlace = { id, organization, workspace, project, category, key };
  const item: Item = { ...pointer, ...place, ...typeAndVersion('variable-id') };
  return [
    { kind: 'put', key: pointer, item, ...fresh },
    { kind: 'put', key: keyOf(variable), item: itemOf(variable), ...fresh },
  ];
};

/** In place; or to its new key, if nothing is there. The write that takes the key is the last. */
export const variableChange = (from: Variable, to: Variable): Write[] => {
  const asKnown = render({ condition: equals('version', from.version) });
  if (from.category === to.category && from.key === to.key) {
    return [{ kind: 'put', key: keyOf(to), item: itemOf(to), ...asKnown }];
  }
  const { category, key } = to;
  return [
    {
      kind: 'update',
      key: keys.pointer(to.id),
      ...render({ condition: isAt(from), change: { set: { category, key } } }),
    },
    { kind: 'delete', key: keyOf(from), ...asKnown },
    { kind: 'put', key: keyOf(to), item: itemOf(to), ...render({ condition: absent('pk') }) },
  ];
};

/** For longer than a write that created the variable may still be on its way. */
const TOMBSTONE_SECONDS = 24 * 60 * 60;

/**
 * The pointer stays for a while, and says by which request its variable was deleted: so a creation that arrives after it
 * brings nothing back to life, and a deletion knows its own lost answer.
 */
export const variableDeletion = (variable: Variable, request: string, now: number): Write[] => [
  {
    kind: 'update',
    key: keys.pointer(variable.id),
    ...render({
      condition: isAt(variable),
      change: {
        set: { gone: now, request, ttl: Math.ceil(now / 1000) + TOMBSTONE_SECONDS },
        remove: ['category', 'key'],
      },
    }),
  },
  // Where the pointer leads lies this variable: that it stands is all that has to be asked.
  { kind: 'delete', key: keyOf(variable) },
];
