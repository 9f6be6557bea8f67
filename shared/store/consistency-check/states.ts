import { ID_BODY, isId } from '../../domain/ids.ts';
import { type Item, keys, prefixes } from '../dynamodb/keys.ts';
import type { CommonChecks } from './common-checks.ts';
import { type Check, type Checks, isCount, isMap, textOf } from './facts.ts';

const CHUNK = new RegExp(`^O#(sv-${ID_BODY})#\\d{4}$`);
/** Returns the id of the state version that a chunk of outputs belongs to, or an empty string. */
const stateVersionOf = ({ sk }: Item): string => CHUNK.exec(textOf(sk))?.[1] ?? '';

/** Opens the check of the references from a workspace to its state versions. */
export const checkStateOfWorkspace =
  ({ at, count, must }: Check) =>
  (workspace: Item): void => {
    const id = textOf(workspace['id']);
    const named = (reference: Item): Item | undefined =>
      at(keys.stateVersion(id, Number(reference['at']), textOf(reference['id'])));
    const { pend, inter, cur, lock, sn } = workspace as Record<string, Item | null | undefined>;
    const counted = count(keys.workspace(id).pk, prefixes.stateVersions);
    must(Number(sn ?? 0) === counted, 'its state version count does not match its state versions');
    const isPending = !pend || named(pend)?.['status'] === 'pending';
    must(isPending, 'its pending state version does not exist or is not pending');
    for (const reference of [inter, cur]) {
      if (!reference) continue;
      const version = named(reference);
      const { resources } = (version?.['content'] ?? {}) as Item;
      const isRight = version?.['status'] === 'finalized' && resources === reference['resources'];
      must(isRight, 'its state version does not exist, is not finalized or has another resource count');
      must(version?.['backingData'] === undefined, 'the content of its state version is deleted');
    }
    must(!inter || Boolean(lock), 'it has an intermediate state version, but no lock');
  };

/** Opens the checks of state versions and their outputs. */
export const checkStates = (
  { at, must }: Check,
  { living, isInProject }: CommonChecks,
): Checks<'state-version' | 'state-version-id' | 'state-remains' | 'state-outputs'> => {
  const hasContent = (content: unknown): void => {
    const { size, object, resources, outputs } = isMap(content) ? content : ({} as Item);
    const { count, packed, chunks } = isMap(outputs) ? outputs : ({} as Item);
    const isRead = isCount(size, 0) && typeof object === 'string' && isCount(resources, -1);
    must(isRead, 'the description of its content is incomplete');
    const places = [packed, chunks].filter((place) => place !== undefined).length;
    const isInOne = isCount(count, -1) && places === (Number(count) > 0 ? 1 : 0);
    must(isInOne, 'its outputs must be stored in exactly one place');
  };
  const stateVersionAt = ({ workspace, id }: Item, createdAt: unknown): Item | undefined =>
    at(keys.stateVersion(textOf(workspace), Number(createdAt), textOf(id)));

  return {
    'state-version': (item) => {
      const { id, serial, md5, status, until, createdAt, createdBy, content, backingData } = item;
      const isKnown = [undefined, 'soft-deleted', 'deleted'].includes(backingData as string | undefined);
      must(isKnown, 'the status of its backing data is unknown');
      const isValid = isId('stateVersion', textOf(id)) && isCount(serial, 0) && /^[0-9a-f]{32}$/.test(textOf(md5));
      must(isValid, 'its id, serial or MD5 digest is invalid');
      must(isCount(until) && isMap(createdBy), 'its creator or its upload deadline is missing');
      must(['pending', 'finalized', 'discarded'].includes(textOf(status)), 'its status is unknown');
      const isWhole = (status === 'finalized') === (content !== undefined);
      must(isWhole, 'it must have content if, and only if, it is finalized');
      if (content !== undefined) hasContent(content);

      const workspace = living(item);
      if (workspace === undefined) return;
      const pointer = at(keys.stateVersionId(textOf(id)));
      const isLedTo = pointer?.['id'] === id && pointer?.['at'] === createdAt;
      must(isLedTo, 'its id pointer does not exist or leads elsewhere');
      const isPending = status !== 'pending' || (workspace['pend'] as Item | undefined)?.['id'] === id;
      must(isPending, 'it is pending, but not the pending state version of its workspace');
    },
    'state-version-id': (item) => {
      isInProject(item);
      must(stateVersionAt(item, item['at']) !== undefined, 'the state version that it leads to does not exist');
    },
    'state-remains': (item) => {
      must(item['d'] !== undefined, 'it is not queued for cleanup');
      const version = stateVersionAt(item, item['createdAt']);
      const isDeleted = version === undefined || version['backingData'] === 'deleted';
      must(isDeleted, 'it lists dependants to delete, but its state version has its content');
    },
    'state-outputs': (item) => {
      const id = stateVersionOf(item);
      must(id !== '' && item['packed'] instanceof Uint8Array, 'it is not a valid chunk of outputs');
      if (living(item) === undefined) return;
      must(at(keys.stateVersionId(id))?.['id'] === id, 'its state version does not exist');
    },
  };
};
