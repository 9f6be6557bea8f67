import { type ManagedResource, ROOT_MODULE } from '../domain/state-versions/managed-resource.ts';
import { type Place, walkJson } from './walk-json.ts';

/** The members of a resource that are read, by their keys in lower case. */
type Members = { [K in 'mode' | 'module' | 'type' | 'name' | 'provider']?: unknown };

const isMember = (key: string): key is keyof Members => ['mode', 'module', 'type', 'name', 'provider'].includes(key);

const wordAt = (place: Place, depth: number): string => String(place[depth] ?? '').toLowerCase();

/** Shortens `provider["registry.example.com/hashicorp/aws"].west` to `hashicorp/aws`. */
const providerOf = (text: string): string => /\["[^/"]+\/([^"]+)"\]/.exec(text)?.[1] ?? text;

const moduleOf = (module: unknown): string =>
  typeof module === 'string' ? module.replaceAll(/(^|\.)module\./g, '$1') : ROOT_MODULE;

/**
 * Reads the instances of the managed resources of a state of format 4 as a stream, in the order of the state. Deposed
 * instances are objects that are still to be destroyed, and are left out.
 */
export const readResources = async (
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<readonly ManagedResource[]> => {
  const all: ManagedResource[] = [];
  let members: Members = {};
  let instances: { index: string | number | null; isDeposed: boolean }[] = [];

  const walk = walkJson({
    open: (place) => {
      if (wordAt(place, 0) !== 'resources') return;
      if (place.length === 2) [members, instances] = [{}, []];
      if (place.length === 4 && wordAt(place, 2) === 'instances') instances.push({ index: null, isDeposed: false });
    },
    scalar: (place, value) => {
      if (wordAt(place, 0) !== 'resources') return;
      const key = wordAt(place, 2);
      if (place.length === 3 && isMember(key)) members[key] = value;
      const instance = instances.at(-1);
      if (place.length !== 5 || key !== 'instances' || instance === undefined) return;
      const part = wordAt(place, 4);
      if (part === 'index_key') instance.index = typeof value === 'string' ? value : Number(value);
      if (part === 'deposed') instance.isDeposed = true;
    },
    close: (place) => {
      if (place.length !== 2 || wordAt(place, 0) !== 'resources' || members.mode === 'data') return;
      const { module, type, name, provider } = members;
      const resource = {
        module: moduleOf(module),
        type: String(type),
        name: String(name),
        provider: providerOf(String(provider)),
      };
      all.push(...instances.filter(({ isDeposed }) => !isDeposed).map(({ index }) => ({ ...resource, index })));
    },
  });
  for await (const bytes of content) walk.write(bytes);
  walk.end();
  return all;
};
