import { createHash } from 'node:crypto';
import { limits } from '../domain/limits.ts';
import type { StateContent, StateOutput } from '../domain/state-versions/state-version.ts';
import { type Listener, type Place, walkJson } from './walk-json.ts';

/** Properties of a state that are read from its content (STATE-9). */
export interface ReadState extends Pick<StateContent, 'size' | 'resources' | 'format' | 'terraformVersion'> {
  /** MD5 of the raw bytes, in hexadecimal. */
  readonly md5: string;
  readonly lineage: string | null;
  /** Undefined if they are too large to be stored. */
  readonly outputs: readonly StateOutput[] | undefined;
}

/**
 * Reads a state of format 3 or 4 as a stream. The number of resources of content that cannot be read, because it is
 * encrypted or not JSON, is -1: it may manage anything.
 */
export const readState = async (content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<ReadState> => {
  const digest = createHash('md5');
  const findings = openFindings();
  const walk = walkJson(findings.listener);
  let size = 0;
  for await (const bytes of content) {
    digest.update(bytes);
    size += bytes.length;
    walk.write(bytes);
  }
  return { size, md5: digest.digest('hex'), ...(walk.end() ? findings.conclude() : UNREADABLE) };
};

const UNREADABLE = { resources: -1, format: null, lineage: null, terraformVersion: null, outputs: [] };

/** Returns a key of the state in lower case: the infrastructure tool reads keys in any case. */
const wordAt = (place: Place, depth: number): string | undefined => {
  const word = place[depth];
  return typeof word === 'string' ? word.toLowerCase() : undefined;
};

const shortText = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' && value.length <= limits.id ? value : null;

/** Collects the properties of a state during the parse. */
const openFindings = () => {
  const root = new Map<string, unknown>();
  let isObject = false;
  let isEncrypted = false;
  const instances = { 3: 0, 4: 0 };
  /** The resource that is being parsed. */
  let resource = { isData: false, instances: 0 };
  /** The module that is being parsed. The outputs of the state are the outputs of the root module. */
  let modulePath: unknown[] = [];
  let moduleOutputs = openOutputs();
  let rootOutputs = openOutputs();
  const outputs = openOutputs();

  const passed = (place: Place, isContainer: boolean, value?: unknown): void => {
    const [first, depth] = [wordAt(place, 0), place.length];
    if (depth === 0) isObject = isContainer;
    else if (depth === 1) {
      if (first === 'encrypted_data') isEncrypted = true;
      if (first !== undefined && !isContainer) root.set(first, value);
    } else if (first === 'resources') {
      if (depth === 2) resource = { isData: false, instances: 0 };
      if (depth === 3 && wordAt(place, 2) === 'mode') resource.isData = value === 'data';
      if (depth === 4 && wordAt(place, 2) === 'instances') resource.instances += 1;
    } else if (first === 'modules') {
      const part = wordAt(place, 2);
      if (depth === 2) [modulePath, moduleOutputs] = [[], openOutputs()];
      if (depth === 4 && part === 'path' && modulePath.length < 2) modulePath.push(value);
      if (part === 'resources' && !String(place[3]).startsWith('data.')) {
        const kind = wordAt(place, 4);
        if (depth === 5 && kind === 'primary' && value !== null) instances[3] += 1;
        if (depth === 6 && kind === 'deposed') instances[3] += 1;
      }
    }
  };

  /** Returns the outputs that contain a path, and the depth of the output's name in it. */
  const outputsAt = (place: Place) => {
    const first = wordAt(place, 0);
    if (first === 'outputs' && place.length > 2) return { of: outputs, from: 1 };
    const isOfModule = first === 'modules' && wordAt(place, 2) === 'outputs' && place.length > 4;
    return isOfModule ? { of: moduleOutputs, from: 3 } : undefined;
  };

  const listener: Listener = {
    open: (place, isArray) => {
      passed(place, true);
      const at = outputsAt(place);
      at?.of.open(String(place[at.from]), place.slice(at.from + 1), isArray);
    },
    scalar: (place, value) => {
      passed(place, false, value);
      const at = outputsAt(place);
      at?.of.scalar(String(place[at.from]), place.slice(at.from + 1), value);
    },
    close: (place) => {
      const first = wordAt(place, 0);
      if (place.length === 2 && first === 'resources' && !resource.isData) instances[4] += resource.instances;
      if (place.length === 2 && first === 'modules' && modulePath.length === 1 && modulePath[0] === 'root') {
        rootOutputs = moduleOutputs;
      }
      outputsAt(place)?.of.close();
    },
  };

  const conclude = () => {
    const version = root.get('version');
    const format = version === 3 || version === 4 ? version : null;
    const about = {
      lineage: shortText(root.get('lineage')),
      terraformVersion: shortText(root.get('terraform_version')),
    };
    if (!isObject || isEncrypted || format === null) return { ...UNREADABLE, ...about };
    return {
      ...about,
      format,
      resources: instances[format],
      outputs: (format === 4 ? outputs : rootOutputs).conclude(format),
    };
  };

  return { listener, conclude };
};

interface Gathered {
  value?: unknown;
  type?: unknown;
  sensitive?: unknown;
}

/** Builds the values of outputs, up to the size limit. */
const openOutputs = () => {
  const all = new Map<string, Gathered>();
  /** Objects and arrays that are still open. */
  const building: (unknown[] | Record<string, unknown>)[] = [];
  let size = 0;

  const put = (name: string, [part = '', ...inside]: Place, value: unknown): boolean => {
    // The size includes the key and a fixed overhead for each value.
    size += 8 + (typeof value === 'string' ? value.length : 0) + String(inside.at(-1) ?? name).length;
    if (size > limits.responseBody) return false;
    const within = building.at(-1);
    if (Array.isArray(within)) within.push(value);
    else if (within !== undefined) within[String(inside.at(-1))] = value;
    else {
      const gathered = all.get(name) ?? {};
      all.set(name, gathered);
      const word = String(part).toLowerCase();
      if (word === 'value' || word === 'type' || word === 'sensitive') gathered[word] = value;
    }
    return true;
  };

  return {
    open: (name: string, place: Place, isArray: boolean): void => {
      const container = isArray ? [] : (Object.create(null) as Record<string, unknown>);
      if (put(name, place, container)) building.push(container);
    },
    scalar: (name: string, place: Place, value: unknown): void => void put(name, place, value),
    close: (): void => void building.pop(),
    conclude: (format: 3 | 4): readonly StateOutput[] | undefined => {
      if (size > limits.responseBody) return undefined;
      return [...all].map(([name, { value = null, type, sensitive }]) => ({
        name,
        sensitive: sensitive === true,
        type: outputType(format, type),
        value,
      }));
    },
  };
};

/** Format 3 does not store the element types of lists and maps, so their types are null. */
const outputType = (format: 3 | 4, type: unknown): unknown => {
  if (format === 4) return type ?? null;
  return type === 'string' ? 'string' : null;
};
