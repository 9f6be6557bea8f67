/** Comparison of two states by resource and output. */

import { type Change, compareAttributes, isPlainObject } from './compare.ts';

/** Instance of a resource in a state, or an output. */
interface ResourceInstance {
  /** Such as `module.network.aws_subnet.private["a"]`. */
  readonly address: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Names of attributes whose values must not be shown. */
  readonly sensitive: ReadonlySet<string>;
}

/**
 * Difference of one attribute, or of one key of a map in it, such as `tags.Name`. Values are texts of limited length, and null
 * where it is not set. They are absent if it is sensitive.
 */
export interface AttributeChange {
  readonly name: string;
  readonly old?: string | null;
  readonly new?: string | null;
}

export interface ResourceChange {
  readonly address: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Those that differ: of a resource that was added or removed, all that are set. */
  readonly attributes: readonly AttributeChange[];
}

/** Counts the resources of each kind of change, and the outputs that differ. */
export const countChanges = (changes: readonly ResourceChange[]) => {
  const counts = { added: 0, changed: 0, removed: 0, outputs: 0 };
  for (const { address, kind } of changes) counts[address.startsWith('output.') ? 'outputs' : kind] += 1;
  return counts;
};

/** Resource of the list. */
export interface ListedResource {
  readonly address: string;
  /** Such as `module.network["a"]`, and an empty text for the root module. */
  readonly module: string;
  /** Such as `aws_subnet`, or `data.aws_ami` for a data source. */
  readonly type: string;
  readonly provider: string;
  /** Attributes that are set, each member of a map on its own. Sensitive ones have no value. */
  readonly attributes: readonly AttributeValue[];
}

/** Attribute of a resource, or one key of a map in it. */
export type AttributeValue = Pick<AttributeChange, 'name' | 'new'>;

type Json = Readonly<Record<string, unknown>>;

const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isPlainObject) : []);

const isListOfMaps = (value: unknown): value is readonly Json[] => Array.isArray(value) && value.every(isPlainObject);

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const indexOf = (key: unknown): string => (key === undefined || key === null ? '' : `[${JSON.stringify(key)}]`);

/** Returns the names of attributes at which the paths of `sensitive_attributes` begin. */
const sensitiveNames = (paths: unknown): ReadonlySet<string> =>
  new Set((Array.isArray(paths) ? paths : []).map((path) => text(objects(path)[0]?.['value'])));

/**
 * Reads a state of format 4.
 * @throws SyntaxError if the text is not JSON.
 * @throws RangeError if it is not a state of format 4.
 */
const readState = (state: string): Json => {
  const document: unknown = JSON.parse(state);
  if (!isPlainObject(document) || document['version'] !== 4) throw new RangeError('This is not a state of format 4.');
  return document;
};

const readOutputs = ({ outputs }: Json): readonly ResourceInstance[] =>
  Object.entries(isPlainObject(outputs) ? outputs : {}).map(([name, output]) => ({
    address: `output.${name}`,
    attributes: { value: isPlainObject(output) ? output['value'] : null },
    sensitive: new Set(isPlainObject(output) && output['sensitive'] === true ? ['value'] : []),
  }));

const readInstances = (document: Json): readonly (Omit<ListedResource, 'attributes'> & ResourceInstance)[] =>
  objects(document['resources']).flatMap((resource) => {
    const module = text(resource['module']);
    const type = `${resource['mode'] === 'data' ? 'data.' : ''}${text(resource['type'])}`;
    const name = `${module === '' ? '' : `${module}.`}${type}.${text(resource['name'])}`;
    return objects(resource['instances']).map((instance) => ({
      address: `${name}${indexOf(instance['index_key'])}${'deposed' in instance ? ` (deposed ${text(instance['deposed'])})` : ''}`,
      module,
      type,
      // `provider["registry.terraform.io/hashicorp/aws"].alias` becomes `registry.terraform.io/hashicorp/aws.alias`.
      provider: text(resource['provider']).replace(/provider\["(.*?)"\]/, '$1'),
      attributes: isPlainObject(instance['attributes']) ? instance['attributes'] : {},
      sensitive: sensitiveNames(instance['sensitive_attributes']),
    }));
  });

/** Largest number of characters of a value that is shown. */
const SHOWN = 300;

const show = (value: unknown): string | null => {
  if (value === undefined || value === null) return null;
  const shown = typeof value === 'string' ? value : JSON.stringify(value);
  return shown.length > SHOWN ? `${shown.slice(0, SHOWN)}… (${shown.length.toLocaleString()} characters)` : shown;
};

/** Returns the address of a member in the syntax of Terraform, such as `tags.Name`, `tags["a b"]` or `disk[0]`. */
const memberName = (parent: string, key: string, isList: boolean): string => {
  if (isList) return `${parent}[${key}]`;
  return /^[a-z_][\w-]*$/i.test(key) ? `${parent}.${key}` : `${parent}${indexOf(key)}`;
};

/** Splits a change of a map, or of a list with as many maps as before, into the changes of its members. */
const splitChange = (change: Change): readonly Change[] => {
  const [old, current] = [change.old ?? {}, change.new ?? {}];
  const isList = isListOfMaps(old) && isListOfMaps(current) && old.length === current.length;
  if (!isList && !(isPlainObject(old) && isPlainObject(current))) return [change];
  const members = compareAttributes({ ...old }, { ...current }).flatMap((member) =>
    splitChange({ ...member, name: memberName(change.name, member.name, isList) }),
  );
  // An empty map has no members to show.
  return members.length === 0 ? [change] : members;
};

const compareInstances = (old: ResourceInstance, current: ResourceInstance): readonly AttributeChange[] =>
  compareAttributes(old.attributes, current.attributes).flatMap((change): readonly AttributeChange[] =>
    old.sensitive.has(change.name) || current.sensitive.has(change.name)
      ? [{ name: change.name }]
      : splitChange(change)
          .map(({ name, old: before, new: after }) => ({ name, old: show(before), new: show(after) }))
          // Null and absent are both not set.
          .filter((shown) => shown.old !== null || shown.new !== null),
  );

const withoutAttributes = (instance: ResourceInstance): ResourceInstance => ({ ...instance, attributes: {} });

const byAddress = (state: string): ReadonlyMap<string, ResourceInstance> => {
  const document = readState(state);
  return new Map(
    [...readInstances(document), ...readOutputs(document)].map((instance) => [instance.address, instance]),
  );
};

/**
 * Compares two states of format 4 by the addresses of their resources and outputs. The address of an output is `output.NAME`.
 * @throws SyntaxError if a text is not JSON.
 * @throws RangeError if it is not a state of format 4.
 */
export const compareStates = (oldState: string, newState: string): readonly ResourceChange[] => {
  const [before, after] = [byAddress(oldState), byAddress(newState)];
  const changes: ResourceChange[] = [];
  for (const [address, instance] of after) {
    const old = before.get(address);
    const attributes = compareInstances(old ?? withoutAttributes(instance), instance);
    if (old === undefined) changes.push({ address, kind: 'added', attributes });
    else if (attributes.length > 0) changes.push({ address, kind: 'changed', attributes });
  }
  for (const [address, instance] of before) {
    if (after.has(address)) continue;
    changes.push({ address, kind: 'removed', attributes: compareInstances(instance, withoutAttributes(instance)) });
  }
  return changes.sort((a, b) => a.address.localeCompare(b.address, 'en'));
};

const listAttributes = (instance: ResourceInstance): readonly AttributeValue[] =>
  compareInstances(withoutAttributes(instance), instance).map(({ old: _, ...attribute }) => attribute);

/** Lists the resources of a state of format 4 with their attributes. */
export const listResources = (state: string): readonly ListedResource[] =>
  readInstances(readState(state)).map(({ sensitive, attributes, ...resource }) => ({
    ...resource,
    attributes: listAttributes({ ...resource, sensitive, attributes }),
  }));
