import type { ChangeRecord } from '../../domain/changes/change-records.ts';
import {
  absent,
  all,
  applyChange,
  type Change,
  type Condition,
  equals,
  merge,
} from '../../domain/changes/conditions.ts';
import type { Inactivity } from '../../domain/directory/records.ts';
import { computedId } from '../../domain/ids.ts';
import {
  type AccessIdWrite,
  ALIVE,
  type ClaimWrite,
  claimCondition,
  type Step,
} from '../../domain/transitions/transition.ts';
import { activityChange, computeDueTime, inactivityChange } from '../../domain/workspace/auto-destroy.ts';
import { type LongText, toImage, type Workspace } from '../../domain/workspace/workspace-record.ts';
import { type Attributes, render } from '../dynamodb/expressions.ts';
import type { Item } from '../dynamodb/item.ts';
import { typeAndVersion } from '../dynamodb/item-schemas.ts';
import {
  cleanupPartition,
  duePartition,
  isDuePartition,
  type Key,
  keys,
  lists,
  sortableTime,
} from '../dynamodb/keys.ts';
import type { Write } from '../dynamodb/requests.ts';
import { indexes } from '../dynamodb/table-definition.ts';
import { consumersWrites } from '../remote-state-consumers/consumer-items.ts';
import { stateVersionWrite } from '../state-versions/state-version-items.ts';
import { tagsOf } from './tag-items.ts';

/** Short names keep an item small: a write costs by the kilobyte. */
const ofWorkspace: { readonly [K in keyof Required<Workspace>]: string } = {
  id: 'id',
  organization: 'org',
  name: 'name',
  project: 'prj',
  createdAt: 'ca',
  updatedAt: 'ua',
  latestChangeAt: 'la',
  settings: 'set',
  text: 'txt',
  textRevision: 'x',
  overwrites: 'ow',
  vcsRepo: 'vcs',
  sshKey: 'ssh',
  tags: 'tags',
  access: 'acc',
  hasVariables: 'hv',
  variableCount: 'vn',
  consumers: 'cons',
  retentionPolicy: 'pol',
  run: 'run',
  runStatus: 'rs',
  runAt: 'ra',
  runMetrics: 'kpi',
  hasConfigurations: 'hc',
  configurationVersion: 'cv',
  readme: 'rdm',
  revision: 'rev',
  fence: 'fence',
  sequence: 'seq',
  change: 'chg',
  lock: 'lock',
  released: 'rel',
  stateVersions: 'sn',
  pending: 'pend',
  intermediate: 'inter',
  current: 'cur',
  serial: 'serial',
  lineage: 'lineage',
  md5: 'md5',
  listedAt: 'lk',
  activityAt: 'aa',
  projectInactivity: 'pi',
  destroyRequested: 'dr',
  due: 'dk',
  gone: 'gone',
};
const names = new Map(Object.entries({ ...ofWorkspace, dueShard: 'd' }));
/** The key of the due index stands for a due time only in some of its partitions. */
const readable = Object.entries(ofWorkspace).filter(([name]) => name !== 'due');

const encode = (path: string, value: unknown): unknown =>
  path === 'listedAt' || path === 'due' ? sortableTime(value as number) : value;
const attributes: Attributes = { names, encode };

const storedName = (path: string): string => {
  const [first = ''] = path.split('.');
  return names.get(first) ?? first;
};

const storedAttributes = (of: object): Item =>
  Object.fromEntries(Object.entries(of).map(([name, value]) => [storedName(name), encode(name, value)]));

const projected = new Set<string>(indexes.list.projected);

/** Long text lies in an item of its own once it is longer than this, in bytes. */
const INLINE_TEXT = 512;

const size = (text: LongText): number => Buffer.byteLength(JSON.stringify(text));

/** Which revision of the long text belongs to a workspace's item, where the text lies elsewhere. */
export const textRevision = (item: Item): number | undefined => item['x'] as number | undefined;

/** A workspace from its item, and the item of its long text where it has one. */
export const workspaceOf = (item: Item, text?: Item): Workspace => {
  // By the names that there may be: a list does this for each workspace on its page, and going through an item is slow.
  const workspace: Record<string, unknown> = {};
  for (const [name, stored] of readable) {
    const value = item[stored];
    if (value !== undefined) workspace[name] = value;
  }
  if (text !== undefined) workspace['text'] = text['txt'];
  if (isDuePartition(item['d'])) workspace['due'] = Number(item['dk']);
  workspace['tags'] = tagsOf(item['tags']);
  workspace['listedAt'] = Number(item['lk']);
  return workspace as unknown as Workspace;
};

const textItem = (workspace: Pick<Workspace, 'id' | 'text'>, revision: number): Item => ({
  ...keys.workspaceText(workspace.id),
  ...typeAndVersion('workspace-text'),
  txt: workspace.text,
  rev: revision,
});

/** The key under which the id of a team's access leads to the workspace. */
export const accessIdKey = (workspace: string, team: string): Key =>
  keys.pointer(computedId('workspaceAccess', workspace, team));

const accessIdWrite = ({ id: workspace, organization, project }: Workspace, { kind, team }: AccessIdWrite): Write => {
  const key = accessIdKey(workspace, team);
  if (kind === 'delete') return { kind, key };
  const id = computedId('workspaceAccess', workspace, team);
  const item = { ...key, ...typeAndVersion('workspace-access-id'), id, organization, workspace, project, team };
  return { kind, key, item };
};

/** The items of a new workspace, none of which may exist. */
export const creationWrites = (workspace: Workspace, shards: number): Write[] => {
  const { text, ...rest } = workspace;
  const apart = size(text) > INLINE_TEXT;
  const due = computeDueTime(workspace);
  const item: Item = {
    ...storedAttributes({
      ...rest,
      ...(due !== undefined && { due, dueShard: duePartition(workspace.id) }),
      ...(apart ? { textRevision: workspace.revision } : { text }),
    }),
    ...keys.workspace(workspace.id),
    ...typeAndVersion('workspace'),
    l: lists.workspacesOf(workspace.organization, workspace.id, shards),
  };
  const fresh = render({ condition: absent('pk') });
  return [
    { kind: 'put', key: keys.workspace(workspace.id), item, ...fresh },
    claimWrite(workspace, { kind: 'take', name: workspace.name, project: workspace.project }),
    ...(apart
      ? [{ kind: 'put' as const, key: keys.workspaceText(workspace.id), item: textItem(workspace, workspace.revision) }]
      : []),
  ];
};

const claimWrite = (workspace: Pick<Workspace, 'id' | 'organization'>, claim: ClaimWrite): Write => {
  const key = keys.claim(workspace.organization, 'workspace', claim.name);
  const condition = render({ condition: claimCondition(claim.kind, workspace.id) });
  if (claim.kind === 'give-up') return { kind: 'delete', key, ...condition };
  const item = { ...key, ...typeAndVersion('workspace-name'), workspace: workspace.id, project: claim.project };
  return { kind: 'put', key, item, ...condition };
};

/**
 * The writes of one step, the workspace's own first. What every write of a workspace does is added here, so that no
 * transition can forget it: the change record and its sequence number, the time that brings it into lists again, the
 * due time, and the place of the long text.
 */
export const stepWrites = (
  image: Workspace,
  step: Step,
  changeRecord: ChangeRecord,
  now: number,
): { writes: Write[]; change: Change } => {
  const asked = step.isActivity ? merge(step.change, activityChange(image, now)) : step.change;
  const due = dueStep(image, asked, step.leavesDependants ? now : undefined);
  const change = merge(
    asked,
    { set: { change: changeRecord }, add: { sequence: 1 } },
    due.change,
    textChange(image, step.change),
  );
  const isListed = [...Object.keys(change.set ?? {}), ...(change.remove ?? [])].some((path) =>
    projected.has(storedName(path)),
  );
  const complete = isListed ? merge(change, { set: { listedAt: Math.max(now, image.listedAt + 1) } }) : change;
  // The row's time must grow with every change, whoever's clock is ahead: so the one that was read must still stand.
  const condition = all(step.condition, due.condition, isListed ? equals('listedAt', image.listedAt) : all());

  const text = complete.set?.['text'] as LongText | undefined;
  const revision = complete.set?.['textRevision'] as number | undefined;
  const stored = revision === undefined ? complete : withoutText(complete);
  const key = keys.workspaceText(image.id);
  return {
    change: complete,
    writes: [
      updateOf(image.id, condition, stored),
      ...(step.claims ?? []).map((claim) => claimWrite(image, claim)),
      ...(step.accessIds ?? []).map((accessId) => accessIdWrite(image, accessId)),
      ...(step.chunks === undefined ? [] : consumersWrites(image.id, step.chunks)),
      ...(step.stateWrites ?? []).map((write) => stateVersionWrite(image.id, write)),
      ...(text !== undefined && revision !== undefined
        ? [{ kind: 'put' as const, key, item: textItem({ id: image.id, text }, revision) }]
        : []),
      ...(complete.remove?.includes('textRevision') ? [{ kind: 'delete' as const, key }] : []),
    ],
  };
};

/** One update of a workspace's item, in its short names and with the partition of the due index that goes with a due time. */
const updateOf = (id: string, condition: Condition, { set = {}, remove = [], ...rest }: Change): Write => {
  const partition = set['gone'] === undefined ? duePartition(id) : cleanupPartition(id);
  const change = {
    ...rest,
    set: { ...set, ...(set['due'] !== undefined && { dueShard: partition }) },
    remove: [...remove, ...(remove.includes('due') ? ['dueShard'] : [])],
  };
  return { kind: 'update', key: keys.workspace(id), ...render({ condition, change }, attributes) };
};

/**
 * The due time after a change, pinned to the one that is replaced: it follows from settings, activity and what was asked
 * for already, which are written beside each other. A deleted workspace is never due for destruction again, but for the
 * cleanup as long as it has dependants.
 */
const dueStep = (
  image: Workspace,
  change: Change,
  cleanupAt: number | undefined,
): Pick<Step, 'condition' | 'change'> => {
  const isGone = change.set?.['gone'] !== undefined;
  const due = isGone ? cleanupAt : computeDueTime(applyChange(change, toImage(image)) as unknown as Workspace);
  if (due === image.due && !isGone) return { condition: all(), change: {} };
  return {
    condition: isGone ? all() : image.due === undefined ? absent('due') : equals('due', image.due),
    change: due === undefined ? { remove: ['due'] } : { set: { due } },
  };
};

/** A workspace that is told what its project passes on: nobody hears of that but the cleanup. */
export const inactivityWrite = (image: Workspace, passed: Inactivity | undefined): Write => {
  const change = inactivityChange(image, passed);
  const due = dueStep(image, change, undefined);
  const known = image.projectInactivity;
  const asSeen = known === undefined ? absent('projectInactivity') : equals('projectInactivity.since', known.since);
  const condition = all(ALIVE, equals('project', image.project), asSeen, due.condition);
  return updateOf(image.id, condition, merge(change, due.change));
};

/** Where the long text goes: beside the workspace, back into it, or away with it. */
const textChange = (image: Workspace, { set = {} }: Change): Change => {
  const text = set['text'] as LongText | undefined;
  if (text !== undefined && size(text) > INLINE_TEXT) return { set: { textRevision: set['revision'] } };
  const leaves = text !== undefined || set['gone'] !== undefined;
  return leaves && image.textRevision !== undefined ? { remove: ['textRevision'] } : {};
};

const withoutText = ({ set: { text: _, ...set } = {}, remove = [], ...rest }: Change): Change => ({
  ...rest,
  set,
  remove: [...remove, 'text'],
});
