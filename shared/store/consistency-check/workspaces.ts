import { isDeepStrictEqual } from 'node:util';
import { computeDueTime } from '../../domain/workspace/auto-destroy.ts';
import { listedSettings } from '../../domain/workspace/workspace-record.ts';
import type { ItemType } from '../dynamodb/item-schemas.ts';
import {
  duePartition,
  type Item,
  keys,
  prefixes,
  sortableTime,
  variablePartition,
  WORKSPACE,
} from '../dynamodb/keys.ts';
import { workspaceOf } from '../items/workspace-items.ts';
import type { CommonChecks } from './common-checks.ts';
import { checkConsumers } from './consumers.ts';
import {
  type Check,
  type Checks,
  isChangeRecord,
  isCount,
  isMap,
  isQueuedForCleanup,
  isText,
  keyOf,
  organizationOf,
  spell,
  teamsIn,
  textOf,
} from './facts.ts';
import { checkRunsOfWorkspace } from './runs.ts';
import { checkStateOfWorkspace } from './states.ts';

type Must = Check['must'];

/** Checks the attributes that every workspace has, a deleted one too. */
const checkAlways = (must: Must, { set, ow, lock, fence, seq, rev, chg, acc, hv, vn, lr }: Item): void => {
  must(isMap(set) && isMap(ow) && isMap(acc), 'its settings, overwrites or team access are missing');
  must(isCount(seq), 'its sequence number is not a positive integer');
  must(isCount(rev), 'its revision is not a positive integer');
  must(isCount(fence, 0), 'its fencing token is not a non-negative integer');
  must(hv === undefined ? vn === undefined : hv === true && isCount(vn, 0), 'its variable count is missing or invalid');
  must(isChangeRecord(chg), 'its last change record is missing or invalid');
  must(lr === undefined || lock !== undefined, 'it has the reason of a lock, but no lock');
  if (lock === undefined) return;
  const { kind, by, name, reason, at, id, leaseSeconds, expiresAt } = isMap(lock) ? lock : ({} as Item);
  const isValid = ['User', 'Team', 'Run'].includes(textOf(kind)) && [id, by, name].every(isText);
  must(isValid && typeof reason === 'string' && isCount(at), 'its lock is invalid');
  const hasLease = leaseSeconds !== undefined || expiresAt !== undefined;
  must(!hasLease || (isCount(leaseSeconds) && isCount(expiresAt)), 'the lease of its lock is invalid');
  must(isCount(fence), 'it is locked, but its fencing token was never increased');
};

/** Checks the attributes of a deleted workspace. */
const checkTombstone = (must: Must, item: Item): void => {
  const { gone, pa, d, dk, x } = item;
  const isDue = d !== undefined || dk !== undefined;
  must(!isDue || isQueuedForCleanup(item), 'it is deleted, but still due for automatic destruction');
  must(x === undefined || pa !== undefined, 'it is deleted for good, but still has a long text');
  must(pa === undefined || isCount(pa, Number(gone)), 'the time until which it can be restored is invalid');
};

/** Checks the attributes of a workspace that are computed from its settings, and its settings among themselves. */
const checkSettings = (must: Must, item: Item): void => {
  const { id, set, ow, d, dk, ls } = item;
  if (!isMap(set) || !isMap(ow)) return;
  const workspace = workspaceOf(item);
  // Items that were written before lists had these filters have no copy.
  const isCopied = ls === undefined || isDeepStrictEqual(ls, listedSettings(workspace));
  must(isCopied, 'the copy of its settings for lists is outdated');
  const due = computeDueTime(workspace);
  const [shard, time] = due === undefined ? [undefined, undefined] : [duePartition(textOf(id)), sortableTime(due)];
  must(d === shard && dk === time, 'its due index keys do not match its settings');
  const isOverwritten = ow['executionMode'] === (set['executionMode'] !== null);
  must(isOverwritten, 'its execution mode overwrite does not match its settings');
  // A workspace with its own agent mode stores a pool that it uses when there is none to inherit (WS-36).
  const mayHavePool = ow['agentPool'] === true || set['executionMode'] === 'agent';
  const problem = 'it has an agent pool, but neither an agent pool overwrite nor an agent mode of its own';
  must(mayHavePool || set['agentPool'] === null, problem);
};

type WorkspaceItem = Extract<ItemType, `workspace${string}` | 'consumers'>;

/** Opens the checks of workspaces, and of their names, their long text, their access and their remote state consumers. */
export const checkWorkspaces = (
  check: Check,
  { refers, grantsTo, claimed, inOrganization, inShard, isTombstone, hasTags, hasPolicy }: CommonChecks,
): Checks<WorkspaceItem> => {
  const { at, count, must } = check;
  const consumers = checkConsumers(check);
  const runsOf = checkRunsOfWorkspace(check);
  const stateOf = checkStateOfWorkspace(check);

  const deleted = (item: Item): void => {
    isTombstone(item);
    checkTombstone(must, item);
    // A tombstone may outlive its project and its organization.
    inShard(item, at(keys.organization(organizationOf(item))));
    const text = at(keys.workspaceText(textOf(item['id'])));
    if (item['pa'] === undefined) must(text === undefined, 'it is deleted, but its long text is not');
    else must(item['d'] !== undefined, 'it can be restored, but is not queued for cleanup');
  };

  return {
    workspace: (item) => {
      checkAlways(must, item);
      if (item['gone'] !== undefined) return deleted(item);
      const id = textOf(item['id']);
      const { set, vcs, ssh, pa, ttl, x, txt } = item as Record<string, Item | null | undefined>;
      must(ttl === undefined && pa === undefined, 'it is not deleted, but has an expiry');
      must((x === undefined) === (txt !== undefined), 'its text must be stored either in it or in its text item');
      must(at(keys.workspaceText(id))?.['rev'] === x, 'its long text does not exist or has another revision');
      hasTags(item);
      hasPolicy(item['pol']);
      checkSettings(must, item);

      inShard(item, inOrganization(item));
      claimed(item, 'workspace', { workspace: item['id'], project: item['prj'] });
      refers(item, 'project', item['prj']);
      refers(item, 'agentPool', set?.['agentPool']);
      refers(item, 'vcsConnection', vcs?.['oauthTokenId']);
      refers(item, 'appInstallation', vcs?.['appInstallationId']);
      refers(item, 'sshKey', ssh);
      grantsTo(item);
      for (const team of teamsIn(item)) {
        const isLedTo = at(keys.workspaceAccessId(id, team)) !== undefined;
        must(isLedTo, `the id pointer of the access of ${team} does not exist`);
      }
      consumers.ofWorkspace(item);
      runsOf(item);
      stateOf(item);
      const counted = count(variablePartition(id), prefixes.variables);
      must(Number(item['vn'] ?? 0) === counted, 'its variable count does not match its variables');
    },
    consumers: consumers.chunk,
    'workspace-access-id': (item) => {
      const workspace = at(keys.workspace(textOf(item['workspace'])));
      const isRight = workspace !== undefined && workspace['org'] === item['organization'];
      must(isRight && teamsIn(workspace).includes(textOf(item['team'])), 'the access that it leads to does not exist');
      const isKept = workspace?.['gone'] === undefined || workspace['d'] !== undefined;
      must(isKept, 'its workspace is deleted, but not queued for cleanup');
    },
    'workspace-name': (item) => {
      const named = at(keys.workspace(textOf(item['workspace'])));
      if (named === undefined || named['gone'] !== undefined)
        return must(false, 'it claims a name for a workspace that is deleted or does not exist');
      const expected = spell(keys.claim(organizationOf(named), 'workspace', textOf(named['name'])));
      must(expected === keyOf(item), 'the claimed workspace has another name');
    },
    'workspace-text': (item) => {
      must(isMap(item['txt']) && isCount(item['rev']), 'its text or its revision is missing');
      must(at({ pk: textOf(item['pk']), sk: WORKSPACE }) !== undefined, 'its workspace does not exist');
    },
  };
};
