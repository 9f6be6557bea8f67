import { limits } from '../domain/limits.ts';
import { type ManagedResource, ROOT_MODULE } from '../domain/state-versions/managed-resource.ts';
import { type Place, walkJson } from './walk-json.ts';

/** The members of a resource that are read, by their keys in lower case. */
type Members = { [K in 'mode' | 'module' | 'type' | 'name' | 'provider']?: string };

const isMember = (key: string): key is keyof Members => ['mode', 'module', 'type', 'name', 'provider'].includes(key);

const wordAt = (place: Place, depth: number): string => String(place[depth] ?? '').toLowerCase();

/** Shortens `provider["registry.example.com/hashicorp/aws"].west` to `hashicorp/aws`. */
const providerOf = (text: string): string => /\["[^/"]+\/([^"]+)"\]/.exec(text)?.[1] ?? text;

/** Shortens `module.network.module.subnets["a"]` to `network.subnets["a"]`. Keys in quotation marks stay as they are. */
const moduleOf = (module: string | undefined): string =>
  module?.replaceAll(/("(?:[^"\\]|\\.)*")|(^|\.)module\./g, (_, key = '', dot = '') => key + dot) ?? ROOT_MODULE;

/** Returns the key of an instance. A number that has another text than JSON writes, such as `1.0`, is a raw JSON value. */
const indexOf = (value: unknown): ManagedResource['index'] => {
  if (typeof value === 'string' || typeof value === 'number') return value;
  return isRawNumber(value) ? Number(value.rawJSON) : null;
};

const isRawNumber = (value: unknown): value is { readonly rawJSON: string } =>
  typeof value === 'object' && value !== null && 'rawJSON' in value;

/**
 * Reads the instances of the managed resources of a state of format 4 as a stream, in the order of the state. Deposed
 * instances are objects that are still to be destroyed, and are left out.
 * @returns undefined if the state has more instances than the limit.
 */
export const readResources = async (
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<readonly ManagedResource[] | undefined> => {
  const all: ManagedResource[] = [];
  let members: Members = {};
  let instances: { index: ManagedResource['index']; isDeposed: boolean }[] = [];
  let count = 0;

  const walk = walkJson({
    open: (place) => {
      if (wordAt(place, 0) !== 'resources') return;
      if (place.length === 2) [members, instances] = [{}, []];
      if (place.length !== 4 || wordAt(place, 2) !== 'instances') return;
      if (++count <= limits.listedInstances) instances.push({ index: null, isDeposed: false });
    },
    scalar: (place, value) => {
      if (wordAt(place, 0) !== 'resources') return;
      const key = wordAt(place, 2);
      if (place.length === 3 && isMember(key) && typeof value === 'string') members[key] = value;
      const instance = instances.at(-1);
      if (place.length !== 5 || key !== 'instances' || instance === undefined) return;
      const part = wordAt(place, 4);
      if (part === 'index_key') instance.index = indexOf(value);
      if (part === 'deposed') instance.isDeposed = value !== null && value !== '';
    },
    close: (place) => {
      if (place.length !== 2 || wordAt(place, 0) !== 'resources' || members.mode === 'data') return;
      const { module, type = '', name = '', provider = '' } = members;
      const resource = { module: moduleOf(module), type, name, provider: providerOf(provider) };
      for (const { index, isDeposed } of instances) if (!isDeposed) all.push({ ...resource, index });
    },
  });
  for await (const bytes of content) walk.write(bytes);
  return walk.end() && count <= limits.listedInstances ? all : undefined;
};
