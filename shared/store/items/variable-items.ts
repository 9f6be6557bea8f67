import { absent, all, type Condition, equals } from '../../domain/changes/conditions.ts';
import { prefixes as ids } from '../../domain/ids.ts';
import {
  type Category,
  type Content,
  ownerId,
  type Variable,
  type VariableOwner,
} from '../../domain/workspace/variable.ts';
import { type Item, type Key, keys, listPartition, variableSortKey } from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { itemWrite, put, remove, update } from './item-write.ts';

interface Place {
  readonly id: string;
  readonly organization: string;
  readonly category: Category;
  readonly key: string;
}

/** Location and owner of a variable, found by its id. */
export interface VariablePlace extends Place {
  readonly workspace: string;
  /** Project of the workspace when the variable was created. */
  readonly project: string;
}

/** Location of a variable of a variable set, found by its id. */
export interface SetVariablePlace extends Place {
  readonly variableSet: string;
}

const keyOf = (variable: VariableOwner & Pick<Variable, 'category' | 'key'>) =>
  keys.variable(ownerId(variable), variable.category, variable.key);

const contentOf = ({ value, sealed, ref, sensitive }: Item) => {
  if (ref !== undefined) return { reference: ref, sensitive: sensitive === true };
  return sealed === undefined ? { value } : { encryptedValue: sealed };
};

/** Builds the attributes of a value. A reference has an empty value for releases that do not know references. */
const contentAttributes = (content: Content): Item => {
  if ('reference' in content)
    return { value: '', ref: content.reference, ...(content.sensitive && { sensitive: true }) };
  return 'encryptedValue' in content ? { sealed: content.encryptedValue } : content;
};

/** Converts a stored item to a variable. The value of a sensitive variable stays encrypted. */
export const variableOf = (item: Item): Variable => {
  const { id, workspace, variableSet, category, key, fp, description, hcl, createdAt, version } = item;
  const owner = workspace === undefined ? { variableSet } : { workspace };
  const content = contentOf(item);
  return { id, ...owner, category, key, content, fingerprint: fp, description, hcl, createdAt, version } as Variable;
};

/** Builds the attributes by which the index `list` finds the key of a variable (STORE-40). */
export const listedKey = (organization: string, variable: Pick<Variable, 'id' | 'key'>) => ({
  l: listPartition.variableKeysOf(organization, variable.id),
  lk: variableSortKey(variable),
});

/** A variable as its row in the index `list` shows it. */
export type ListedVariable = VariableOwner &
  Pick<Variable, 'id' | 'category' | 'key'> & {
    /** Sort key of the row. */
    readonly position: string;
  };

/** Converts a row of the index `list` to a variable. The key of the item has all but the id. */
export const listedVariableOf = ({ pk, sk, id, lk }: Item): ListedVariable => {
  const owner = String(pk).slice(String(pk).indexOf('#') + 1);
  const [, category, key] = /^V#([^#]*)#(.*)$/s.exec(String(sk)) ?? [];
  const belonging = owner.startsWith(ids.variableSet) ? { variableSet: owner } : { workspace: owner };
  return { ...belonging, id, category, key, position: lk } as ListedVariable;
};

const variableWrite = (variable: Variable, organization: string, condition: Condition): Write => {
  const { content, fingerprint, ...plain } = variable;
  const attributes = {
    ...plain,
    ...contentAttributes(content),
    ...(fingerprint !== undefined && { fp: fingerprint }),
    ...listedKey(organization, variable),
  };
  return put(keyOf(variable), 'variable', attributes, condition);
};

const isPointer = (item: Item | undefined): item is Item =>
  item?.['ty'] === 'variable-id' && item['gone'] === undefined;

/** Returns undefined for the pointer of a deleted variable, or of a variable of a variable set. */
export const placeOf = (item: Item | undefined): VariablePlace | undefined => {
  if (!isPointer(item) || item['workspace'] === undefined) return undefined;
  const { id, organization, workspace, project, category, key } = item;
  return { id, organization, workspace, project, category, key } as VariablePlace;
};

/** Returns undefined for the pointer of a deleted variable, or of a variable of a workspace. */
export const setPlaceOf = (item: Item | undefined): SetVariablePlace | undefined => {
  if (!isPointer(item) || item['variableSet'] === undefined) return undefined;
  const { id, organization, variableSet, category, key } = item;
  return { id, organization, variableSet, category, key } as SetVariablePlace;
};

/** Returns the id of the request that deleted the variable of a pointer; undefined for any other item. */
export const deletedBy = (pointer: Item | undefined): string | undefined =>
  pointer?.['gone'] === undefined ? undefined : String(pointer['request']);

/** Returns the key of the variable to which a pointer leads; undefined if the variable does not exist. */
export const variableKeyOf = (pointer: Item | undefined): Key | undefined => {
  const place = placeOf(pointer) ?? setPlaceOf(pointer);
  return place && keyOf(place);
};

const STANDS = absent('gone');
const isAt = ({ category, key }: Pick<Variable, 'category' | 'key'>): Condition =>
  all(STANDS, equals('category', category), equals('key', key));

/**
 * Builds the writes of a new variable. The pointer comes first, because an existing id identifies a repeated request
 * and an existing key does not.
 * @param owner organization of the workspace or variable set, and the project of the workspace.
 */
export const variableCreation = (
  variable: Variable,
  owner: { readonly organization: string; readonly project?: string | undefined },
): Write[] => {
  const { id, workspace, variableSet, category, key } = variable;
  const { organization, project } = owner;
  const belonging = workspace === undefined ? { variableSet } : { workspace, project };
  const place = { id, organization, ...belonging, category, key };
  return [itemWrite('variable-id', place, absent('pk')), variableWrite(variable, organization, absent('pk'))];
};

/**
 * Builds the writes that update a variable in place or move it to a free key. The write of the new key comes last.
 * @param organization organization of the workspace or variable set.
 */
export const variableChange = (from: Variable, to: Variable, organization: string): Write[] => {
  const asKnown = equals('version', from.version);
  if (from.category === to.category && from.key === to.key) {
    return [variableWrite(to, organization, asKnown)];
  }
  const { category, key } = to;
  return [
    update(keys.pointer(to.id), { set: { category, key } }, isAt(from)),
    remove(keyOf(from), asKnown),
    variableWrite(to, organization, absent('pk')),
  ];
};

/** Longer than a delayed write that creates the variable may take. */
const TOMBSTONE_SECONDS = 24 * 60 * 60;

/**
 * Builds the writes that delete a variable. The pointer remains as a tombstone with the id of the request: a delayed
 * creation cannot restore the variable, and a retried deletion recognizes that it was already applied.
 */
export const variableDeletion = (variable: Variable, request: string, now: number): Write[] => [
  update(
    keys.pointer(variable.id),
    {
      set: { gone: now, request, ttl: Math.ceil(now / 1000) + TOMBSTONE_SECONDS },
      remove: ['category', 'key'],
    },
    isAt(variable),
  ),
  // The history names the version that was deleted.
  remove(keyOf(variable), equals('version', variable.version)),
];
