import type { DynamoDBRecord } from 'aws-lambda';
import {
  EXCHANGE_REFUSED,
  type ExchangeRefusal,
  exchangeReasons,
  NAMED_CONSUMERS,
  pickDetails,
  REJECTIONS_PER_MINUTE,
  type Rejection,
  SIGN_IN_REFUSED,
  type SignInRefusal,
  signInRefusalReasons,
} from '../../domain/changes/change-records.ts';
import {
  type ConsumersReference,
  HISTORY_CONSUMERS,
  type HistoryEntry,
  type TextReference,
} from '../../domain/history/history-entry.ts';
import { textAttributes, workspaceChanges } from '../../domain/history/workspace-changes.ts';
import type { Variable } from '../../domain/workspace/variable.ts';
import type { LongText, Workspace } from '../../domain/workspace/workspace-record.ts';
import { type TokenUse, tokenUseOf } from '../directory/tokens/first-uses.ts';
import { type Item, prefixes, VARIABLE_SET, WORKSPACE, WORKSPACE_TEXT } from '../dynamodb/keys.ts';
import { rejections, tokenUses } from '../dynamodb/table-definition.ts';
import { generationOf, idsIn, numberOf } from '../items/consumer-items.ts';
import { variableOf } from '../items/variable-items.ts';
import { workspaceOf } from '../items/workspace-items.ts';
import { hasNewChangeRecord, imagesIn, sortKeyIn } from '../workspaces/stream-records.ts';
import { entryFrom, entryOfDirectory, entryOfVariableSet } from './directory-entries.ts';

/** Part of the history that one write changes. */
export type StreamChange =
  | { readonly kind: 'token-use'; readonly use: TokenUse }
  | { readonly kind: 'entry'; readonly entry: HistoryEntry }
  | { readonly kind: 'variable'; readonly before?: Variable; readonly after?: Variable }
  | { readonly kind: 'consumers'; readonly consumers: ChangedConsumers }
  | { readonly kind: 'text'; readonly workspace: string; readonly texts: readonly TextRevision[] };

/** Ids that a change added to a chunk of remote state consumers, or removed from it. */
export interface ChangedConsumers extends Omit<ConsumersReference, 'chunks'> {
  readonly workspace: string;
  readonly chunk: number;
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** Long text that is stored apart from its workspace. */
export interface TextRevision {
  readonly revision: number;
  readonly text: Readonly<Record<string, unknown>>;
}

type Images = ReturnType<typeof imagesIn>;

const referenceTo = ({ text, textRevision }: Workspace): TextReference => textRevision ?? textAttributes(text);

/** Returns the references to the long text before and after, if it changed and a reader needs them. */
const textOf = (before: Workspace | undefined, after: Workspace): Pick<HistoryEntry, 'text'> => {
  const revisions = [before?.textRevision, after.textRevision];
  const isUnchanged = revisions[0] === revisions[1] || after.deletedAt !== undefined;
  if (isUnchanged) return {};
  return { text: { old: before === undefined ? {} : referenceTo(before), new: referenceTo(after) } };
};

/**
 * Returns the reference to the ids of changed remote state consumers that the change record does not have. There is none if the
 * set was rewritten for more space: its chunks then have all ids, and not those that changed.
 */
const consumersOf = (
  before: Workspace | undefined,
  { change, consumers }: Workspace,
): Pick<HistoryEntry, 'consumers'> => {
  const { consumers: changed } = change;
  if (consumers === undefined || changed === undefined) return {};
  if (changed.ids !== undefined || changed.count > HISTORY_CONSUMERS) return {};
  const { generation, chunks, changes } = consumers;
  if (changed.change === 'replaced') return { consumers: { generation, chunks, change: 0 } };
  const isRewritten = before?.consumers !== undefined && before.consumers.generation !== generation;
  return isRewritten ? {} : { consumers: { generation, chunks, change: changes } };
};

/**
 * Reads what a write changed in a chunk of remote state consumers. Undefined if nothing, or if no entry refers to it: the
 * change record has the ids, they are too many, or the chunk is a copy.
 */
const changedConsumersOf = (workspace: string, { before, after }: Images): ChangedConsumers | undefined => {
  if (after === undefined) return undefined;
  const requested = Number(after['requested'] ?? HISTORY_CONSUMERS);
  if (requested <= NAMED_CONSUMERS || requested > HISTORY_CONSUMERS) return undefined;
  const [old, current] = [before === undefined ? [] : idsIn([before]), idsIn([after])];
  const [known, present] = [new Set(old), new Set(current)];
  const added = current.filter((id) => !known.has(id));
  const removed = old.filter((id) => !present.has(id));
  const count = added.length + removed.length;
  if (count === 0 || count > HISTORY_CONSUMERS) return undefined;
  return {
    workspace,
    generation: generationOf(after),
    change: Number(after['n']),
    chunk: numberOf(after),
    added,
    removed,
  };
};

const entryOfWorkspace = ({ before, after }: Images): HistoryEntry => {
  const old = before && workspaceOf(before);
  const current = workspaceOf(after ?? {});
  const { change, organization, id, name, sequence } = current;
  const resource = { type: 'workspaces', id, name };
  return {
    ...entryFrom(change, { organization, resource, sequence, changes: workspaceChanges(old, current) }),
    details: pickDetails(change),
    ...textOf(old, current),
    ...consumersOf(old, current),
  };
};

/**
 * Returns the entry of a rejected request. Its resource is the token of the caller, and its sequence number is unique among
 * the entries of the token, including changes of the token.
 */
const rejectionEntry = (item: Item): HistoryEntry => {
  const { organization, operation, status, path, ...record } = item['refusal'] as Rejection;
  const { actor, token } = record;
  const type = token === undefined ? `${actor.kind}s` : 'authentication-tokens';
  return {
    ...record,
    organization,
    resource: { type, id: token ?? actor.id, name: null },
    sequence: Number(item['minute']) * (REJECTIONS_PER_MINUTE + 1) + Number(item['seq']),
    details: { refusal: { operation, status, path } },
    changes: [],
  };
};

/**
 * Returns the entry of a refused exchange. Its resource is the workload identity, and its sequence number is unique among the
 * entries of that, including its changes.
 */
const exchangeEntry = (item: Item): HistoryEntry => {
  const { organization, reason, message, presented, team, ...record } = item['refusal'] as ExchangeRefusal;
  const { id, name = null } = record.actor;
  return {
    ...record,
    organization,
    resource: { type: 'workload-identities', id, name, team },
    sequence: Number(item['minute']) * exchangeReasons.length + exchangeReasons.indexOf(reason),
    details: { exchange: { reason, message, ...(presented && { presented }) } },
    changes: [],
  };
};

/** Returns the entry of a refused sign-in. Its resource is the membership, as that of a sign-in, with the name of the user. */
const signInEntry = (item: Item): HistoryEntry => {
  const { organization, membership, username = null, provider, reason, ...record } = item['refusal'] as SignInRefusal;
  return {
    ...record,
    organization,
    resource: { type: 'organization-memberships', id: membership, name: username },
    sequence: Number(item['minute']) * signInRefusalReasons.length + signInRefusalReasons.indexOf(reason),
    details: { signIn: { provider }, reason },
    changes: [],
  };
};

const refusalEntry = (item: Item): HistoryEntry => {
  const { type } = item['refusal'] as Rejection | ExchangeRefusal | SignInRefusal;
  if (type === EXCHANGE_REFUSED) return exchangeEntry(item);
  return type === SIGN_IN_REFUSED ? signInEntry(item) : rejectionEntry(item);
};

const textRevisionOf = (item: Item | undefined): TextRevision[] =>
  item === undefined ? [] : [{ revision: Number(item['rev']), text: textAttributes(item['txt'] as LongText) }];

/** Entries by the sort key of the item that has the change record; `entryOfDirectory` has all others. */
const entries: Readonly<Record<string, (images: Images) => HistoryEntry>> = {
  [WORKSPACE]: entryOfWorkspace,
  [VARIABLE_SET]: entryOfVariableSet,
};

/**
 * Reads what the history has to record of a write (HIST-2).
 * @returns undefined if the write belongs to no change, or to one of a resource without a history.
 */
export const readStreamChange = (record: DynamoDBRecord): StreamChange | undefined => {
  const images = imagesIn(record);
  const sortKey = sortKeyIn(record);
  if (sortKey.startsWith(prefixes.variables)) {
    const { before, after } = images;
    return {
      kind: 'variable',
      ...(before && { before: variableOf(before) }),
      ...(after && { after: variableOf(after) }),
    };
  }
  if (sortKey === tokenUses.sortKey) return { kind: 'token-use', use: tokenUseOf(images.after ?? {}) };
  if (sortKey.startsWith(rejections.sortKey)) return { kind: 'entry', entry: refusalEntry(images.after ?? {}) };
  const workspace = String(record.dynamodb?.Keys?.['pk']?.S).slice('WS#'.length);
  if (sortKey.startsWith(prefixes.consumers)) {
    const consumers = changedConsumersOf(workspace, images);
    return consumers && { kind: 'consumers', consumers };
  }
  if (sortKey === WORKSPACE_TEXT) {
    return { kind: 'text', workspace, texts: [...textRevisionOf(images.before), ...textRevisionOf(images.after)] };
  }
  if (!hasNewChangeRecord(record)) return undefined;
  const entry = (entries[sortKey] ?? entryOfDirectory)(images);
  return entry && { kind: 'entry', entry };
};
