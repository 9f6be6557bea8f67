import { ID_BODY, isId } from '../../domain/ids.ts';
import type { Item } from '../dynamodb/item.ts';
import { type Key, keys, WORKSPACE } from '../dynamodb/keys.ts';

/** What must be so of state versions and their outputs: by themselves, and between them and their workspace. */

const text = (value: unknown): string => String(value);
const isMap = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown, least: number): boolean => Number.isSafeInteger(value) && Number(value) >= least;

const CHUNK = new RegExp(`^O#(sv-${ID_BODY})#\\d{4}$`);
/** Which state version a chunk of outputs is of. */
const chunkOf = ({ sk }: Item): string => CHUNK.exec(text(sk))?.[1] ?? '';

const contentProblems = (content: unknown): string[] => {
  const { size, object, resources, outputs } = isMap(content) ? content : ({} as Item);
  const { count, packed, chunks } = isMap(outputs) ? outputs : ({} as Item);
  const isRead = isCount(size, 0) && typeof object === 'string' && isCount(resources, -1);
  const places = [packed, chunks].filter((place) => place !== undefined).length;
  return [
    ...(isRead ? [] : ['it does not say what was read of its content']),
    ...(isCount(count, -1) && places === (Number(count) > 0 ? 1 : 0) ? [] : ['its outputs are nowhere, or twice']),
  ];
};

export const stateSpelling: Readonly<Record<string, (item: Item) => Partial<Key>>> = {
  'state-version': ({ workspace, createdAt, id }) =>
    keys.stateVersion(text(workspace), isCount(createdAt, 0) ? Number(createdAt) : 0, text(id)),
  'state-version-id': ({ id }) => keys.stateVersionId(text(id)),
  'state-remains': ({ workspace, createdAt, id }) =>
    keys.stateDependants(text(workspace), isCount(createdAt, 0) ? Number(createdAt) : 0, text(id)),
  // It is of the version that its key names.
  'state-outputs': ({ sk }) => ({ sk: text(sk) }),
};

export const stateShapes: Readonly<Record<string, (item: Item) => string[]>> = {
  'state-version': ({ id, serial, md5, status, until, createdBy, content }) => [
    ...(isId('stateVersion', text(id)) && isCount(serial, 0) && /^[0-9a-f]{32}$/.test(text(md5))
      ? []
      : ['it has no id, serial or digest of a state']),
    ...(isCount(until, 1) && isMap(createdBy) ? [] : ['it does not say who created it, or how long it waits']),
    ...(['pending', 'finalized', 'discarded'].includes(text(status)) ? [] : ['its status is none that there is']),
    ...((status === 'finalized') === (content !== undefined)
      ? []
      : ['it has content without being finalized, or none']),
    ...(content === undefined ? [] : contentProblems(content)),
  ],
  'state-version-id': ({ organization, workspace, project }) =>
    [organization, workspace, project].every((of) => typeof of === 'string') ? [] : ['it does not say whose it is'],
  'state-remains': ({ d }) => (d === undefined ? ['nothing would take away what is left of it'] : []),
  'state-outputs': (item) =>
    chunkOf(item) !== '' && item['packed'] instanceof Uint8Array ? [] : ['it is no chunk of outputs'],
};

/** The part of such an item that others are held against; undefined for items of other types. */
export const stateFacts = (item: Item): Item | undefined => {
  const { pk, sk, ty, id, workspace, createdAt, status, serial, content } = item;
  if (ty === 'state-outputs') return { pk, sk, ty };
  if (ty !== 'state-version') return undefined;
  return {
    pk,
    sk,
    ty,
    id,
    workspace,
    createdAt,
    status,
    serial,
    resources: (content as Item | undefined)?.['resources'],
  };
};

export const checkStates = (
  items: Iterable<Item>,
  at: (key: Key) => Item | undefined,
  must: (item: Item, holds: boolean, problem: string) => void,
) => {
  /** How many each workspace has. */
  const counts = new Map<string, number>();
  for (const { ty, workspace } of items) {
    if (ty === 'state-version') counts.set(text(workspace), (counts.get(text(workspace)) ?? 0) + 1);
  }
  /** The living workspace that an item hangs on; what hangs on a deleted one is to be cleaned up. */
  const living = (item: Item): Item | undefined => {
    const workspace = at({ pk: text(item['pk']), sk: WORKSPACE });
    must(item, workspace !== undefined, 'its workspace is not there');
    if (workspace?.['gone'] === undefined) return workspace;
    must(item, workspace['d'] !== undefined, 'its workspace is deleted, and nothing would delete it');
    return undefined;
  };
  const named = (workspace: Item, reference: unknown): Item | undefined => {
    const { id, at: createdAt } = reference as { id: string; at: number };
    return at(keys.stateVersion(text(workspace['id']), createdAt, id));
  };

  return {
    ofWorkspace: (workspace: Item): void => {
      const { pend, inter, cur, lock, sn } = workspace as Record<string, Item | null | undefined>;
      const counted = counts.get(text(workspace['id'])) ?? 0;
      must(workspace, Number(sn ?? 0) === counted, 'it has another number of state versions than it counts');
      const isPending = !pend || named(workspace, pend)?.['status'] === 'pending';
      must(workspace, isPending, 'the state version that it waits for is not there, or not pending');
      for (const reference of [inter, cur]) {
        if (!reference) continue;
        const version = named(workspace, reference);
        const isRight = version?.['status'] === 'finalized' && version['resources'] === reference['resources'];
        must(workspace, isRight, 'its state is not there, not finalized, or manages something else');
      }
      must(workspace, !inter || Boolean(lock), 'a state waits for the end of a lock that there is not');
    },
    checks: {
      'state-version': (item: Item) => {
        const workspace = living(item);
        if (workspace === undefined) return;
        const { id, createdAt, status } = item;
        const pointer = at(keys.stateVersionId(text(id)));
        must(item, pointer?.['id'] === id && pointer?.['at'] === createdAt, 'its id leads nowhere, or elsewhere');
        const isWaitedFor = (workspace['pend'] as Item | undefined)?.['id'] === id;
        must(item, status !== 'pending' || isWaitedFor, 'it is pending, and its workspace does not wait for it');
      },
      'state-version-id': (item: Item) => {
        const version = at(keys.stateVersion(text(item['workspace']), Number(item['at']), text(item['id'])));
        must(item, version !== undefined, 'the state version that it leads to is not there');
      },
      'state-remains': (item: Item) => {
        const version = at(keys.stateVersion(text(item['workspace']), Number(item['createdAt']), text(item['id'])));
        must(item, version === undefined, 'it is what is left of a state version that is there');
      },
      'state-outputs': (item: Item) => {
        if (living(item) === undefined) return;
        const pointer = at(keys.stateVersionId(chunkOf(item)));
        must(item, pointer?.['id'] === chunkOf(item), 'the state version that it is of is not there');
      },
    },
  };
};
