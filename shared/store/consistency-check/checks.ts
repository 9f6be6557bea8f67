import { hasKnownVersion, type ItemType, itemSchemas, keyFromAttributes } from '../dynamodb/item-schemas.ts';
import { type Item, listPartition, recordKinds } from '../dynamodb/keys.ts';
import { openCommonChecks } from './common-checks.ts';
import { checkDirectory, checkMembers } from './directory.ts';
import {
  attempt,
  type Check,
  type Checks,
  isChangeRecord,
  isCount,
  isQueuedForCleanup,
  isSortableTime,
  isText,
  type Lookup,
  textOf,
} from './facts.ts';
import { checkHistory } from './history.ts';
import { checkRuns } from './runs.ts';
import { checkStates } from './states.ts';
import { checkTokens } from './tokens.ts';
import { checkVariableSets } from './variable-sets.ts';
import { checkVariables } from './variables.ts';
import { checkWorkspaces } from './workspaces.ts';

const isItemType = (ty: string): ty is ItemType => Object.hasOwn(itemSchemas, ty);

/** Returns whether an item has the key, or the part of it, that its attributes determine. */
const hasOwnKey = (ty: ItemType, item: Item): boolean => {
  const key = attempt(() => keyFromAttributes(ty, item));
  return key !== undefined && Object.entries(key).every(([name, value]) => item[name] === value);
};

/** Checks the list index keys. The partition of workspaces and projects depends on their organization: see `inShard`. */
const checkListed = ({ must }: Check, ty: ItemType, { l, lk, organization, name }: Item): void => {
  if (ty === 'workspace' || ty === 'project' || ty === 'project-tombstone') {
    must(isText(l) && isSortableTime(lk), 'its list index keys are not a partition and a time');
  } else if (ty === 'team' || ty in recordKinds) {
    const isRight = l === listPartition.records(textOf(organization), ty as 'team') && lk === name;
    must(isRight, 'its list index keys do not match its organization and name');
  } else if (ty !== 'variable-set') {
    must(l === undefined && lk === undefined, 'it is in the list index but must not be');
  }
};

const checkCleanup = ({ must }: Check, ty: ItemType, item: Item): void => {
  const { closing, gone, untold, d, dk } = item;
  const isQueued = isQueuedForCleanup(item);
  if (closing !== undefined) must(isQueued, 'its deletion has begun, but is not queued for cleanup');
  // Projects are queued until their workspaces have received the inherited auto-destroy setting.
  else if (untold !== undefined) must(isQueued, 'its pending update of workspaces is not queued for cleanup');
  else {
    // Chunks of consumers are queued until it is certain whether they came into force. A deleted variable set is queued
    // until its variables and assignments are deleted.
    const mayBeQueued = ty === 'consumers' || ty === 'state-remains' || (ty === 'variable-set' && gone !== undefined);
    const isDue = d !== undefined || dk !== undefined;
    must(!isDue || (mayBeQueued && isQueued), 'it is in the due index but must not be');
  }
};

/**
 * Checks the change record and the sequence number of an item of the directory (STORE-29). Records that an earlier release
 * wrote have none until they change.
 */
const checkChange = ({ must }: Check, { chg, seq }: Item): void => {
  if (chg === undefined && seq === undefined) return;
  must(isChangeRecord(chg), 'its last change record is missing or invalid');
  must(isCount(seq), 'its sequence number is not a positive integer');
};

/** Opens the checks of the items that belong to no resource. */
const checkCounts = ({
  must,
}: Check): Checks<'command' | 'verification-count' | 'request-count' | 'job' | 'releases'> => {
  const counts = ({ count, ttl }: Item): void =>
    must(isCount(count) && isCount(ttl), 'its count or its expiry is missing');
  return {
    command: ({ fingerprint, ttl }) =>
      must(isText(fingerprint) && isCount(ttl), 'its fingerprint or its expiry is missing'),
    'verification-count': counts,
    'request-count': counts,
    job: ({ startedAt, revision, ttl }) =>
      must(
        [startedAt, revision, ttl].every((value) => isCount(value)),
        'its start, its revision or its expiry is missing',
      ),
    releases: ({ added, removed }) =>
      must(
        [added, removed].every((set) => set === undefined || set instanceof Set),
        'its versions are not sets',
      ),
  };
};

/** Opens the check of an item and of its references to others, in both directions. It returns the problems of the item. */
export const openChecks = (lookup: Lookup): ((item: Item) => string[]) => {
  let problems: string[] = [];
  const check: Check = {
    ...lookup,
    must: (holds, problem) => {
      if (!holds) problems.push(problem);
    },
  };
  const common = openCommonChecks(check);
  const checks: Checks<ItemType> = {
    ...checkDirectory(check, common),
    ...checkMembers(check, common),
    ...checkTokens(check),
    ...checkWorkspaces(check, common),
    ...checkVariables(check),
    ...checkVariableSets(check, common),
    ...checkRuns(check, common),
    ...checkStates(check, common),
    ...checkHistory(check, common),
    ...checkCounts(check),
  };

  return (item) => {
    const ty = textOf(item['ty']);
    if (!isItemType(ty)) return [`its type ${ty} is unknown`];
    problems = [];
    check.must(hasKnownVersion(item), `its schema version ${textOf(item['v'])} is unknown`);
    check.must(hasOwnKey(ty, item), 'its key does not match its content');
    checkListed(check, ty, item);
    // Workspaces and variable sets have checks of their own for these attributes.
    if (ty !== 'workspace') checkCleanup(check, ty, item);
    if (ty !== 'workspace' && ty !== 'variable-set' && ty !== 'refusals') checkChange(check, item);
    checks[ty](item);
    return problems;
  };
};
