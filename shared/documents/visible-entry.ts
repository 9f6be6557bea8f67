import type { AssignmentsChange, ConsumersChange, ReleasedLock } from '../domain/changes/change-records.ts';
import type { HistoryEntry, TextReference } from '../domain/history/history-entry.ts';
import { textChanges } from '../domain/history/workspace-changes.ts';
import { timestamp } from '../lib/clock.ts';
import { visibleActor } from '../resources/actor.ts';
import type { VisibleChange, VisibleEntry } from '../resources/history-entries/response.ts';
import type { HistoryParts } from '../store/history/history-reader.ts';
import type { HistoryValue } from '../store/history/history-writer.ts';

/** Rights of a caller on the history of a resource at the time of the request (HIST-10). */
export interface HistoryRights {
  readonly isOwner: boolean;
  /** Tokens and source addresses. */
  readonly seesOrigins: boolean;
  readonly readsVariables: boolean;
  /** Teams that exist and are not secret, or that the caller belongs to. */
  readonly seesTeam: (team: string) => boolean;
  /** Workspaces, also deleted ones, and projects that the caller may read. */
  readonly reads: (type: AssignmentsChange['target'], id: string) => boolean;
}

/** A lock in `changes`, where `holder` is the id of the holder. */
interface Lock {
  readonly kind: string;
  readonly holder: string | null;
  readonly name: string | null;
}

const HIDDEN = { old: null, new: null, withheld: true } as const;

/** Returns the ids of the teams that an entry names. */
export const teamsIn = ({ actor, changes, details }: HistoryEntry): string[] => [
  ...(actor.kind === 'team' ? [actor.id] : []),
  ...(details.team === undefined ? [] : [details.team.id]),
  ...(details.teams === undefined ? [] : [...details.teams.added, ...details.teams.removed]),
  ...[details.released, details.expiredLock].flatMap((lock) => (lock?.kind === 'Team' ? lock.by : [])),
  ...changes.flatMap(({ attribute, member, ...values }) => {
    if (attribute === 'team-access') return member ?? [];
    const locks = attribute === 'lock' ? [values.old, values.new] : [];
    return (locks as (Lock | null)[]).flatMap((lock) => (lock?.kind === 'Team' ? (lock.holder ?? []) : []));
  }),
];

/** Returns the ids in a change of remote state consumers; undefined if they are not stored, or not all of them. */
const consumerIds = ({ resource, details, consumers }: HistoryEntry, parts: HistoryParts | undefined) => {
  if (consumers === undefined || parts === undefined) return details.consumers?.ids;
  const { added, removed } = parts.consumers(resource.id, consumers);
  const { change, count } = details.consumers ?? {};
  const ids = change === 'removed' ? removed : added;
  const isWhole = change === 'replaced' ? ids.length === count : ids.length > 0;
  return isWhole ? ids : undefined;
};

/**
 * Returns the ids of the workspaces or projects that the details of an entry name, apart from its resource.
 * @param parts needed for entries with `consumers`.
 */
export const referencesIn = (
  entry: HistoryEntry,
  type: AssignmentsChange['target'],
  parts: HistoryParts | undefined,
): readonly string[] => {
  const { assignments } = entry.details;
  return [
    ...(type === 'workspaces' ? (consumerIds(entry, parts) ?? []) : []),
    ...(assignments?.target === type ? [...assignments.added, ...assignments.removed] : []),
  ];
};

/** Removes the holder of a lock that is a team which the caller may not see. */
const visibleLock = <L extends Lock>(lock: L, { seesTeam }: HistoryRights): Lock =>
  lock.kind === 'Team' && !seesTeam(lock.holder ?? '') ? { ...lock, holder: null, name: null } : lock;

const visibleLockValue = (value: unknown, rights: HistoryRights): unknown =>
  value === null ? null : visibleLock(value as Lock, rights);

const visibleChanges = ({ changes }: HistoryEntry, rights: HistoryRights): VisibleChange[] =>
  changes.flatMap((change): VisibleChange[] => {
    if (change.attribute === 'team-access') return rights.seesTeam(change.member ?? '') ? [change] : [];
    if (change.attribute !== 'lock') return [change];
    return [{ ...change, old: visibleLockValue(change.old, rights), new: visibleLockValue(change.new, rights) }];
  });

/**
 * Presents one version of a variable. A value that was removed, or may not be seen, is null. The fingerprint of a sensitive
 * value is never shown, because whoever may write the variable could compare it with those of guesses (HIST-5).
 */
const presentVersion = (version: HistoryValue | undefined, showsValue: boolean) =>
  version === undefined
    ? null
    : {
        key: version.key,
        category: version.category,
        description: version.description,
        hcl: version.hcl,
        sensitive: version.sensitive,
        value: showsValue ? (version.value ?? null) : null,
        'value-reference': showsValue ? (version.reference ?? null) : null,
      };

/** Returns the label of the key that computed a fingerprint. Fingerprints of different keys cannot be compared. */
const keyLabelOf = (fingerprint: string): string => fingerprint.slice(0, fingerprint.indexOf('.'));

/** Tells whether a change left a sensitive value the same; nothing if that is not known (HIST-5). */
const secretChange = (old: HistoryValue | undefined, current: HistoryValue | undefined) => {
  const [before, after] = [old?.fingerprint, current?.fingerprint];
  if (before === undefined || after === undefined || keyLabelOf(before) !== keyLabelOf(after)) return {};
  return { 'value-unchanged': before === after };
};

const variableChange = (entry: HistoryEntry, rights: HistoryRights, parts: HistoryParts): VisibleChange[] => {
  const { variable, versions } = entry.details;
  if (variable === undefined || versions === undefined) return [];
  const change = { attribute: 'variables', member: variable.id };
  if (!rights.readsVariables) return [{ ...change, ...HIDDEN }];
  const showsValue = rights.isOwner || !parts.isDeleted(variable.id);
  const [old, current] = [parts.value(variable.id, versions.old), parts.value(variable.id, versions.new)];
  return [
    {
      ...change,
      old: presentVersion(old, showsValue),
      new: presentVersion(current, showsValue),
      ...(showsValue ? secretChange(old, current) : { withheld: true as const }),
    },
  ];
};

/** Resolves long text that is stored apart. Text that has expired counts as none. */
const textChange = ({ text, resource }: HistoryEntry, parts: HistoryParts): VisibleChange[] => {
  if (text === undefined) return [];
  const resolve = (reference: TextReference) =>
    (typeof reference === 'number' ? parts.text(resource.id, reference) : reference) ?? {};
  return textChanges(resolve(text.old), resolve(text.new));
};

/** Removes the ids of workspaces that the caller may not read from a change of consumers. */
const visibleConsumers = (
  { ids: _ids, ...change }: ConsumersChange,
  ids: readonly string[] | undefined,
  { reads }: HistoryRights,
) => {
  const shown = ids?.filter((id) => reads('workspaces', id));
  return { ...change, ...(shown && { ids: shown }), ...(shown?.length !== ids?.length && { withheld: true }) };
};

/** Removes the ids of workspaces or projects that the caller may not read from a change of assignments. */
const visibleAssignments = ({ target, added, removed }: AssignmentsChange, { reads }: HistoryRights) => {
  const isShown = (id: string): boolean => reads(target, id);
  const isWhole = [...added, ...removed].every(isShown);
  return {
    target,
    added: added.filter(isShown),
    removed: removed.filter(isShown),
    ...(!isWhole && { withheld: true }),
  };
};

const visibleDetails = (
  entry: HistoryEntry,
  rights: HistoryRights,
  parts: HistoryParts,
): Readonly<Record<string, unknown>> => {
  const { details } = entry;
  const {
    versions: _versions,
    keys: _keys,
    endsRun: _ends,
    variable,
    team,
    released,
    expiredLock,
    due,
    refusal,
    ...more
  } = details;
  const { consumers, assignments, teams, ...others } = more;
  const lockOf = ({ id, kind, by: holder, name }: ReleasedLock) => visibleLock({ id, kind, holder, name }, rights);
  return {
    ...others,
    ...(released && { lock: lockOf(released) }),
    ...(expiredLock && { expiredLock: { ...lockOf(expiredLock), expiresAt: timestamp(expiredLock.expiresAt) } }),
    ...(due !== undefined && { due: timestamp(due) }),
    ...(variable && { variable: rights.readsVariables ? variable : { id: variable.id } }),
    ...(team && rights.seesTeam(team.id) && { team }),
    ...(teams && {
      teams: { added: teams.added.filter(rights.seesTeam), removed: teams.removed.filter(rights.seesTeam) },
    }),
    ...(consumers && { consumers: visibleConsumers(consumers, consumerIds(entry, parts), rights) }),
    ...(assignments && { assignments: visibleAssignments(assignments, rights) }),
    // A path may name what the reader cannot see.
    ...(refusal && { refusal: rights.isOwner ? refusal : { operation: refusal.operation, status: refusal.status } }),
  };
};

/** Reduces an entry to what a caller may see, and adds the parts that are stored apart from it (HIST-10). */
export const visibleEntry = (entry: HistoryEntry, rights: HistoryRights, parts: HistoryParts): VisibleEntry => {
  const { actor, token, address, consumers: _, ...others } = entry;
  return {
    ...others,
    actor: visibleActor(actor, rights.seesTeam),
    ...(rights.seesOrigins && token !== undefined && { token }),
    ...(rights.seesOrigins && address !== undefined && { address }),
    changes: [...visibleChanges(entry, rights), ...textChange(entry, parts), ...variableChange(entry, rights, parts)],
    details: visibleDetails(entry, rights, parts),
  };
};
