import { hasKnownVersion, type ItemType, itemSchemas, keyFromAttributes } from '../dynamodb/item-schemas.ts';
import { countPartitions, type Item, listPartition, recordKinds } from '../dynamodb/keys.ts';
import { openCommonChecks } from './common-checks.ts';
import { checkDirectory, checkMembers } from './directory.ts';
import {
  attempt,
  type Check,
  type Checks,
  isChangeRecord,
  isCount,
  isMap,
  isQueuedForCleanup,
  isSortableTime,
  isText,
  type Lookup,
  textOf,
} from './facts.ts';
import { checkRuns } from './runs.ts';
import { checkSignIns } from './sign-ins.ts';
import { checkStates } from './states.ts';
import { checkTokens } from './tokens.ts';
import { checkVariableSets } from './variable-sets.ts';
import { checkVariables } from './variables.ts';
import { checkWorkspaces } from './workspaces.ts';

const isItemType = (ty: string): ty is ItemType => Object.hasOwn(itemSchemas, ty);

const isShaped = (ty: ItemType): ty is keyof typeof shapes => Object.hasOwn(shapes, ty);

/** Returns whether an item has the key, or the part of it, that its attributes determine. */
const hasOwnKey = (ty: ItemType, item: Item): boolean => {
  const key = attempt(() => keyFromAttributes(ty, item));
  return key !== undefined && Object.entries(key).every(([name, value]) => item[name] === value);
};

/** Checks the list index keys. The partition of workspaces and projects depends on their organization: see `inShard`. */
const checkListed = ({ must }: Check, ty: ItemType, { l, lk, organization, org, name }: Item): void => {
  if (ty === 'workspace' || ty === 'project' || ty === 'project-tombstone') {
    must(isText(l) && isSortableTime(lk), 'its list index keys are not a partition and a time');
  } else if (ty === 'team' || ty in recordKinds) {
    const isRight = l === listPartition.records(textOf(organization), ty as 'team') && lk === name;
    must(isRight, 'its list index keys do not match its organization and name');
  } else if (ty === 'bulk-job') {
    must(l === listPartition.bulkJobs(textOf(org)), 'its list index key does not match its organization');
  } else if (ty !== 'variable-set' && ty !== 'variable') {
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
    // A bulk job is queued while it has work to do.
    const mayBeQueued =
      ty === 'consumers' ||
      ty === 'state-remains' ||
      ty === 'bulk-job' ||
      (ty === 'variable-set' && gone !== undefined);
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

type Shape = readonly [problem: string, attributes: Readonly<Record<string, (value: unknown) => boolean>>];

const isOptionalSet = (value: unknown): boolean => value === undefined || value instanceof Set;
const counted: Shape = ['its count or its expiry is missing', { count: isCount, ttl: isCount }];
const expiring: Shape = ['it has no expiry', { ttl: isCount }];

/** Attributes of the items that can be checked without any other item, and the problem of an item that lacks one. */
const shapes = {
  command: ['its fingerprint or its expiry is missing', { fingerprint: isText, ttl: isCount }],
  verifications: counted,
  'verification-count': counted,
  'request-count': counted,
  job: ['its start, its revision or its expiry is missing', { startedAt: isCount, revision: isCount, ttl: isCount }],
  'bulk-job': [
    'its action, its status, its caller or its expiry is missing',
    { action: isText, status: isText, caller: isMap, ttl: isCount },
  ],
  'bulk-job-slice': ['its items or its expiry is missing', { items: Array.isArray, ttl: isCount }],
  'bulk-job-results': ['its results or its expiry is missing', { results: Array.isArray, ttl: isCount }],
  'active-bulk-job': ['its job or its expiry is missing', { job: isText, ttl: isCount }],
  releases: ['its versions are not sets', { added: isOptionalSet, removed: isOptionalSet }],
  'token-use': [
    'its digest, its change record or its expiry is missing',
    { digest: isText, use: isChangeRecord, ttl: isCount },
  ],
  'token-day': ['its digest, its time or its expiry is missing', { digest: isText, usedAt: isCount, ttl: isCount }],
  refusals: ['its last rejected request or its expiry is missing', { refusal: isChangeRecord, ttl: isCount }],
  'one-time-secret': ['it has no content or no expiry', { content: isMap, expiresAt: isCount, ttl: isCount }],
  'device-login': [
    'its device, its interval or its expiry is missing',
    { device: isText, interval: isCount, expiresAt: isCount, ttl: isCount },
  ],
  // Right codes do not count.
  'device-tries': [counted[0], { count: (value) => isCount(value, 0), ttl: isCount }],
  'history-entry': [
    'it has no id, no action, no changes or no expiry',
    { id: isText, type: isText, changes: Array.isArray, ttl: isCount },
  ],
  'history-value': expiring,
  'history-secret': expiring,
  'history-text': expiring,
  'history-consumers': expiring,
  'audit-pointer': expiring,
  'activity-month': expiring,
  'activity-mark': [
    'its day is not queued for counting',
    { day: isText, hour: isCount, d: (value) => countPartitions.some((known) => known === value), dk: isSortableTime },
  ],
} as const satisfies { readonly [T in ItemType]?: Shape };

const checkShape = ({ must }: Check, item: Item, [problem, attributes]: Shape): void =>
  must(
    Object.entries(attributes).every(([name, isValid]) => isValid(item[name])),
    problem,
  );

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
  const checks: Checks<Exclude<ItemType, keyof typeof shapes>> = {
    ...checkDirectory(check, common),
    ...checkMembers(check, common),
    ...checkTokens(check),
    ...checkSignIns(check),
    ...checkWorkspaces(check, common),
    ...checkVariables(check),
    ...checkVariableSets(check, common),
    ...checkRuns(check, common),
    ...checkStates(check, common),
  };

  return (item) => {
    const ty = textOf(item['ty']);
    if (!isItemType(ty)) return [`its type ${ty} is unknown`];
    problems = [];
    check.must(hasKnownVersion(item), `its schema version ${textOf(item['v'])} is unknown`);
    check.must(hasOwnKey(ty, item), 'its key does not match its content');
    checkListed(check, ty, item);
    // Workspaces, variable sets and marks have checks of their own for these attributes.
    if (ty !== 'workspace' && ty !== 'activity-mark') checkCleanup(check, ty, item);
    if (ty !== 'workspace' && ty !== 'variable-set' && ty !== 'refusals') checkChange(check, item);
    if (!isShaped(ty)) checks[ty](item);
    else checkShape(check, item, shapes[ty]);
    const isExposed = ty === 'history-value' && item['sensitive'] === true && item['value'] !== undefined;
    check.must(!isExposed, 'it has the value of a sensitive variable');
    return problems;
  };
};
