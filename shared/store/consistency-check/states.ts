import { ID_BODY, isId } from '../../domain/ids.ts';
import type { Item } from '../dynamodb/item.ts';
import { type Key, keys, prefixes, WORKSPACE } from '../dynamodb/keys.ts';
import type { Lookup } from './lookup.ts';

/** Invariants of state versions and their outputs, and of their relations to the workspace. */

const text = (value: unknown): string => String(value);
const isMap = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown, least: number): boolean => Number.isSafeInteger(value) && Number(value) >= least;

const CHUNK = new RegExp(`^O#(sv-${ID_BODY})#\\d{4}$`);
/** Returns the id of the state version that a chunk of outputs belongs to, or an empty string. */
const chunkOf = ({ sk }: Item): string => CHUNK.exec(text(sk))?.[1] ?? '';

const contentProblems = (content: unknown): string[] => {
  const { size, object, resources, outputs } = isMap(content) ? content : ({} as Item);
  const { count, packed, chunks } = isMap(outputs) ? outputs : ({} as Item);
  const isRead = isCount(size, 0) && typeof object === 'string' && isCount(resources, -1);
  const places = [packed, chunks].filter((place) => place !== undefined).length;
  return [
    ...(isRead ? [] : ['the description of its content is incomplete']),
    ...(isCount(count, -1) && places === (Number(count) > 0 ? 1 : 0)
      ? []
      : ['its outputs must be stored in exactly one place']),
  ];
};

/** Builders of the expected key, or a part of it, of state items, by item type. */
export const stateSpelling: Readonly<Record<string, (item: Item) => Partial<Key>>> = {
  'state-version': ({ workspace, createdAt, id }) =>
    keys.stateVersion(text(workspace), isCount(createdAt, 0) ? Number(createdAt) : 0, text(id)),
  'state-version-id': ({ id }) => keys.stateVersionId(text(id)),
  'state-remains': ({ workspace, createdAt, id }) =>
    keys.stateDependants(text(workspace), isCount(createdAt, 0) ? Number(createdAt) : 0, text(id)),
  // The version is named only by the key.
  'state-outputs': ({ sk }) => ({ sk: text(sk) }),
};

/** Checks of the attributes of state items, by item type. Each returns the problems that it finds. */
export const stateShapes: Readonly<Record<string, (item: Item) => string[]>> = {
  'state-version': ({ id, serial, md5, status, until, createdBy, content, backingData }) => [
    ...([undefined, 'soft-deleted', 'deleted'].includes(backingData as string | undefined)
      ? []
      : ['the status of its backing data is unknown']),
    ...(isId('stateVersion', text(id)) && isCount(serial, 0) && /^[0-9a-f]{32}$/.test(text(md5))
      ? []
      : ['its id, serial or MD5 digest is invalid']),
    ...(isCount(until, 1) && isMap(createdBy) ? [] : ['its creator or its upload deadline is missing']),
    ...(['pending', 'finalized', 'discarded'].includes(text(status)) ? [] : ['its status is unknown']),
    ...((status === 'finalized') === (content !== undefined)
      ? []
      : ['it must have content if, and only if, it is finalized']),
    ...(content === undefined ? [] : contentProblems(content)),
  ],
  'state-version-id': ({ organization, workspace, project }) =>
    [organization, workspace, project].every((of) => typeof of === 'string')
      ? []
      : ['it has no organization, workspace or project'],
  'state-remains': ({ d }) => (d === undefined ? ['it is not queued for cleanup'] : []),
  'state-outputs': (item) =>
    chunkOf(item) !== '' && item['packed'] instanceof Uint8Array ? [] : ['it is not a valid chunk of outputs'],
};

/**
 * Opens the checks of the references between workspaces and state versions. `must` records a problem of an item
 * unless `holds`.
 */
export const checkStates = ({ at, count }: Lookup, must: (item: Item, holds: boolean, problem: string) => void) => {
  /** Returns the workspace of an item. If it is deleted, checks that it is queued for cleanup and returns undefined. */
  const living = (item: Item): Item | undefined => {
    const workspace = at({ pk: text(item['pk']), sk: WORKSPACE });
    must(item, workspace !== undefined, 'its workspace does not exist');
    if (workspace?.['gone'] === undefined) return workspace;
    must(item, workspace['d'] !== undefined, 'its workspace is deleted, but not queued for cleanup');
    return undefined;
  };
  const named = (workspace: Item, reference: unknown): Item | undefined => {
    const { id, at: createdAt } = reference as { id: string; at: number };
    return at(keys.stateVersion(text(workspace['id']), createdAt, id));
  };

  return {
    ofWorkspace: (workspace: Item): void => {
      const { pend, inter, cur, lock, sn } = workspace as Record<string, Item | null | undefined>;
      const counted = count(keys.workspace(text(workspace['id'])).pk, prefixes.stateVersions);
      must(workspace, Number(sn ?? 0) === counted, 'its state version count does not match its state versions');
      const isPending = !pend || named(workspace, pend)?.['status'] === 'pending';
      must(workspace, isPending, 'its pending state version does not exist or is not pending');
      for (const reference of [inter, cur]) {
        if (!reference) continue;
        const version = named(workspace, reference);
        const { resources } = (version?.['content'] ?? {}) as Item;
        const isRight = version?.['status'] === 'finalized' && resources === reference['resources'];
        must(workspace, isRight, 'its state version does not exist, is not finalized or has another resource count');
        must(workspace, version?.['backingData'] === undefined, 'the content of its state version is deleted');
      }
      must(workspace, !inter || Boolean(lock), 'it has an intermediate state version, but no lock');
    },
    checks: {
      'state-version': (item: Item) => {
        const workspace = living(item);
        if (workspace === undefined) return;
        const { id, createdAt, status } = item;
        const pointer = at(keys.stateVersionId(text(id)));
        must(
          item,
          pointer?.['id'] === id && pointer?.['at'] === createdAt,
          'its id pointer does not exist or leads elsewhere',
        );
        const isWaitedFor = (workspace['pend'] as Item | undefined)?.['id'] === id;
        must(
          item,
          status !== 'pending' || isWaitedFor,
          'it is pending, but not the pending state version of its workspace',
        );
      },
      'state-version-id': (item: Item) => {
        const version = at(keys.stateVersion(text(item['workspace']), Number(item['at']), text(item['id'])));
        must(item, version !== undefined, 'the state version that it leads to does not exist');
      },
      'state-remains': (item: Item) => {
        const version = at(keys.stateVersion(text(item['workspace']), Number(item['createdAt']), text(item['id'])));
        const isDeleted = version === undefined || version['backingData'] === 'deleted';
        must(item, isDeleted, 'it lists dependants to delete, but its state version has its content');
      },
      'state-outputs': (item: Item) => {
        if (living(item) === undefined) return;
        const pointer = at(keys.stateVersionId(chunkOf(item)));
        must(item, pointer?.['id'] === chunkOf(item), 'its state version does not exist');
      },
    },
  };
};
