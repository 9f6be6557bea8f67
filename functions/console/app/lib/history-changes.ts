import { type Change, compareAttributes } from '../../../../shared/client/compare.ts';
import type { AttributeName, Schemas } from '../../../../shared/client/types.ts';
import { formatValue } from './compare.ts';
import { formatDuration, formatExact } from './format-time.ts';
import { signInRefusals, withCode } from './refusal-words.ts';
import { categoryLabel, runStatusLabel, toLabel, toWords, withoutResource } from './words.ts';

type HistoryEntry = Schemas['HistoryEntry'];
type EntryAttributes = HistoryEntry['attributes'];
type RecordedChange = EntryAttributes['changes'][number];
type Attributes = Readonly<Record<string, unknown>>;

/** A part of a value: a text, with the id of the resource that it names if that is known. */
export interface Part {
  readonly label: string;
  readonly id?: string;
}

/** A value in words. */
export type Shown = string | readonly Part[];

/** Returns the text of a value. */
export const toText = (value: Shown): string =>
  typeof value === 'string' ? value : value.map(({ label }) => label).join(', ');

/** An attribute with its values in words. */
export interface ShownChange {
  readonly name: string;
  /** Null if there was none. */
  readonly old: Shown | null;
  readonly new: Shown;
}

/** Changed values of one resource, such as of one of the variables that an entry is about. */
export interface ChangeGroup {
  /** Names the resource with its kind; undefined for the resource of the entry itself. */
  readonly heading?: string;
  /** Name of the resource of the heading. */
  readonly name?: string;
  /** Id of the resource of the heading. */
  readonly id?: string;
  readonly isWithheld: boolean;
  readonly changes: readonly ShownChange[];
}

/** Names of users, teams and other resources by their ids, as far as the entries contain them. */
export const collectNames = (entries: readonly HistoryEntry[]): ReadonlyMap<string, string> =>
  new Map(
    entries.flatMap(({ attributes: { actor, 'resource-name': name }, relationships }) => {
      const { id } = relationships.resource.data;
      return [
        ...(name === null ? [] : [[id, name] as const]),
        // A run has its id as its name.
        ...(actor.id === null || actor.name === null || actor.kind === 'run' ? [] : [[actor.id, actor.name] as const]),
      ];
    }),
  );

const isAttributes = (value: unknown): value is Attributes =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value says nothing where there was none before. */
const isEmpty = (value: unknown): boolean =>
  (value ?? '') === '' || value === false || (Array.isArray(value) && value.length === 0);

/** A large value is described by its length and fingerprint (HIST-5). */
const isSummary = (value: unknown): value is { readonly length: number; readonly fingerprint: string } =>
  isAttributes(value) && 'length' in value && 'fingerprint' in value;

/** Returns whether an object stands for a state version or a run, which a change replaces by another one. */
const isVersionOrRun = (value: unknown): value is Attributes =>
  isAttributes(value) && 'id' in value && ('serial' in value || 'status' in value);

/** Attributes that are null while their value is inherited. */
const inheritable: readonly string[] = [
  'execution-mode',
  'deletion-protection',
  'default-execution-mode',
  'default-deletion-protection',
] satisfies AttributeName[];

/** Attributes that come first, so that entries can be compared. All others follow by their names. */
const first = ['name', 'key', 'project', 'description', 'infra-version', 'execution-mode'];

const rankOf = ({ attribute }: RecordedChange): number =>
  first.includes(attribute) ? first.indexOf(attribute) : first.length;

/** Members of a lock that repeat its holder. */
const lockDetails = ['id', 'kind', 'holder', 'lease-seconds'];

const lockLabels: Readonly<Record<string, string>> = {
  name: 'Lock holder',
  reason: 'Reason',
  at: 'Locked',
  held: 'Held for',
  'expires-at': 'Lock expires',
};

/** Kinds of the members of an attribute. */
const headings: Readonly<Record<string, string>> = {
  'reserved-tag-keys': 'Reserved tag key',
  'team-access': 'Team',
  'token-ttl-policies': 'Lifetime of tokens',
  variables: 'Variable',
};

/** Whether an object only refers to a resource, such as the owner of a token. */
const isReference = (value: unknown): value is { readonly kind: string; readonly id: string } =>
  isAttributes(value) && typeof value['kind'] === 'string' && typeof value['id'] === 'string' && !('name' in value);

/** Says whether a change replaced a secret, which no response shows. */
const describeSecret = ({ 'value-unchanged': isUnchanged }: RecordedChange): readonly ShownChange[] =>
  isUnchanged === undefined ? [] : [{ name: 'Secret', old: null, new: isUnchanged ? 'unchanged' : 'replaced' }];

/** Names a resource by its id. */
const toPart = (id: string, names: ReadonlyMap<string, string>, kind?: string): Part => {
  const name = names.get(id);
  const label = [kind, name ?? id].filter(Boolean).join(' ');
  return name === undefined ? { label } : { label, id };
};

/** Names the holder of a recorded lock. */
const holderOf = (lock: unknown): Shown | null => {
  if (!isAttributes(lock)) return null;
  const { name, holder } = lock;
  return [{ label: String(name), ...(typeof holder === 'string' && { id: holder }) }];
};

/**
 * Describes the changes of an entry for people: with labels for attributes and names for ids, the members of each object
 * apart, and the values of one variable or team together.
 * @param type type of the changed resource.
 */
export const describeChanges = (
  changes: readonly RecordedChange[],
  names: ReadonlyMap<string, string>,
  type: string,
): readonly ChangeGroup[] => {
  const nameOf = (id: string): string => names.get(id) ?? id;
  const isCreation = changes.some(({ attribute, old }) => attribute === 'name' && old === null);
  const isInherited = (name: string, value: unknown) => value === null && !isCreation && inheritable.includes(name);
  const show = (name: string, value: unknown): Shown => {
    // An organization inherits nothing: it has no protection until it is set.
    if (isInherited(name, value)) return type === 'organizations' ? 'off' : 'inherited';
    if (isSummary(value)) return `${value.length.toLocaleString()} bytes (fingerprint ${value.fingerprint})`;
    if (isVersionOrRun(value)) {
      const { id, serial, status } = value;
      return serial === undefined
        ? `${nameOf(String(id))} (${runStatusLabel(String(status))})`
        : Number(serial).toLocaleString();
    }
    if (isReference(value)) return [toPart(value.id, names, value.kind)];
    if (Array.isArray(value) && value.some((id) => names.has(id))) return value.map((id) => toPart(id, names));
    if (typeof value !== 'string') return formatValue(value, name);
    if (names.has(value)) return [toPart(value, names)];
    if (name === 'category') return categoryLabel(value);
    if (name === 'status') return runStatusLabel(value);
    return /(^|-)at$/.test(name) ? formatExact(new Date(value)) : formatValue(value);
  };
  const toChange = (label: string, { name, old, new: current }: Change): ShownChange => ({
    name: label,
    old: (old === null && !isInherited(name, old)) || old === undefined ? null : show(name, old),
    new: show(name, current),
  });
  const members = (old: unknown, current: unknown, ignored: readonly string[] = ['id']): readonly Change[] =>
    compareAttributes(isAttributes(old) ? old : {}, isAttributes(current) ? current : {})
      .filter(({ name }) => !ignored.includes(name))
      .filter((part) => !isEmpty(part.old) || !isEmpty(part.new));
  const isWhole = (value: unknown): boolean =>
    !isAttributes(value) || isSummary(value) || isReference(value) || isVersionOrRun(value);

  const describe = (change: RecordedChange): ChangeGroup => {
    const { attribute, member, old, new: current } = change;
    // The caller may not see the values, or they are secrets, which are not recorded.
    const isWithheld = old === null && current === null;
    const whole = (label: string): readonly ShownChange[] => [toChange(label, { name: attribute, old, new: current })];
    const present = isAttributes(current) ? current : isAttributes(old) ? old : {};
    if (attribute === 'tag-bindings') {
      const tag = (value: unknown) =>
        isAttributes(value) ? [member, value['value']].filter((part) => part != null && part !== '').join('=') : null;
      return { isWithheld, changes: [{ name: 'Tag', old: tag(old), new: tag(current) ?? formatValue(null) }] };
    }
    if (attribute === 'lock' && !isWithheld) {
      // A new lock has the time of its entry.
      const shown = members(old, current, old === null ? [...lockDetails, 'at'] : lockDetails);
      return {
        isWithheld,
        changes: shown.map((part) => {
          const change = toChange(lockLabels[part.name] ?? toLabel(part.name), part);
          if (part.name !== 'name') return change;
          return { ...change, old: holderOf(old), new: holderOf(current) ?? change.new };
        }),
      };
    }
    if (member !== undefined) {
      const name = typeof present['key'] === 'string' ? present['key'] : nameOf(member);
      const heading = `${headings[attribute] ?? toLabel(attribute)} ${name}`;
      const isSimple = isWhole(old) && isWhole(current);
      const parts = isSimple
        ? whole(attribute === 'team-access' ? 'Access' : 'Value')
        : members(old, current)
            // The heading has the key, unless it was changed.
            .filter((part) => part.name !== 'key' || (part.old !== undefined && part.new !== undefined))
            .map((part) => toChange(toLabel(part.name), part));
      return {
        heading,
        name,
        ...(names.has(member) && { id: member }),
        isWithheld,
        changes: [...parts, ...describeSecret(change)],
      };
    }
    if (isWithheld || (isWhole(old) && isWhole(current))) return { isWithheld, changes: whole(toLabel(attribute)) };
    return {
      isWithheld,
      // The id at the source of an import is none of ours.
      changes: members(old, current, attribute === 'imported-from' ? [] : ['id']).map((part) =>
        toChange(`${toLabel(attribute)}: ${toLabel(part.name)}`, part),
      ),
    };
  };
  return (
    changes
      // A deletion has the time of its entry.
      .filter(({ attribute }) => attribute !== 'deleted-at')
      .filter(
        ({ attribute, old, new: current }) =>
          old !== null || current === null || !isEmpty(current) || isInherited(attribute, old),
      )
      .sort((one, other) => rankOf(one) - rankOf(other) || one.attribute.localeCompare(other.attribute))
      .map(describe)
  );
};

/** Returns a lock as the line of an entry shows it: for how long a removed lock was held, and its holder unless it is the actor. */
const shortenLock = (change: RecordedChange, { actor, 'created-at': time }: EntryAttributes): RecordedChange => {
  const { old, new: current } = change;
  const lock = current ?? old;
  if (!isAttributes(lock) || (old !== null && current !== null)) return change;
  const { name, holder, reason, at, 'expires-at': expiry } = lock;
  return {
    ...change,
    old: null,
    new: {
      ...(current === null
        ? { held: formatDuration(Date.parse(time) - Date.parse(String(at))) }
        : { 'expires-at': expiry }),
      ...(holder !== actor.id && { name, holder }),
      reason,
    },
  };
};

/** Returns the changes of an entry that its line names: without what its title, its details or the page say already. */
const shortenChanges = (attributes: EntryAttributes): readonly RecordedChange[] => {
  const { actor, changes, details, 'resource-name': name } = attributes;
  const { run, configurationVersion } = (details ?? {}) as Details;
  const isSaid = ({ attribute, old, new: current }: RecordedChange): boolean => {
    if (attribute === 'current-run') return isAttributes(current) && current['id'] === run?.id;
    if (attribute === 'current-configuration-version') return current === configurationVersion?.id;
    return old === null && current !== null && (current === name || (isReference(current) && current.id === actor.id));
  };
  return changes
    .filter((change) => !isSaid(change))
    .map((change) => {
      const { attribute, member, old, new: current } = change;
      if (attribute === 'lock') return shortenLock(change, attributes);
      // What was deleted is named by its heading.
      return member !== undefined && isAttributes(old) && current === null
        ? { ...change, old: { key: old['key'] } }
        : change;
    });
};

/** Describes what the line of entries of one resource names of their changes. */
export const summarizeChanges = (
  entries: readonly HistoryEntry[],
  names: ReadonlyMap<string, string>,
  type: string,
): readonly ChangeGroup[] => {
  const changes = entries.flatMap(({ attributes }) => shortenChanges(attributes));
  const isFinalized = changes.some(({ attribute }) => attribute === 'current-state-version');
  return describeChanges(
    // The pending version has become the current one.
    changes.filter(({ attribute }) => !isFinalized || attribute !== 'pending-state-version'),
    names,
    type,
  );
};

/** Details that a report is about, by its action. */
const reported: Readonly<Record<string, 'run' | 'configurationVersion'>> = {
  'workspace.run-updated': 'run',
  'workspace.configuration-version-updated': 'configurationVersion',
} satisfies Partial<Record<EntryAttributes['action'], keyof Details>>;

/** Returns whether a runner made the change. Its actor is the run that the details name, or a part of the service. */
export const isReport = ({ action, actor }: EntryAttributes): boolean =>
  action in reported && ['run', 'service'].includes(actor.kind);

/** Says what happened. A report of a runner is named by the status that it reports. @param isWhole with the type of the resource */
export const describeAction = ({ action, details }: EntryAttributes, isWhole: boolean): string => {
  const words = toWords(isWhole ? action : withoutResource(action));
  const name = reported[action];
  const status = name && ((details ?? {}) as Details)[name]?.status;
  return status === undefined ? words : words.replace(/updated$/, runStatusLabel(status));
};

/** A run or a configuration version as a runner has reported it. */
interface Reported {
  readonly id: string;
  readonly status: string;
}

/** Details of an entry that its changes do not show. */
interface Details {
  readonly reason?: string;
  readonly consumers?: {
    readonly change: string;
    readonly count: number;
    readonly ids?: readonly string[];
    readonly withheld?: boolean;
  };
  readonly assignments?: {
    readonly target: string;
    readonly added: readonly string[];
    readonly removed: readonly string[];
    readonly withheld?: boolean;
  };
  readonly variable?: { readonly id: string; readonly key?: string };
  readonly stateVersion?: { readonly serial?: number; readonly rolledBackTo?: string };
  readonly matches?: boolean;
  readonly run?: Reported;
  readonly configurationVersion?: Reported;
  readonly refusal?: { readonly operation: string; readonly status: number };
  readonly exchange?: { readonly reason: string; readonly message: string; readonly presented?: Presented };
  readonly signIn?: { readonly provider: string };
  readonly presented?: Presented;
}

/** Claims of the identity token of a pipeline. */
interface Presented {
  readonly issuer: string;
  readonly subject: string | null;
}

/** Returns the serial of the state version that a rollback copied; undefined for all other changes. */
export const rolledBackSerial = (details: unknown): number | undefined => {
  const { stateVersion } = (details ?? {}) as Details;
  return stateVersion?.rolledBackTo === undefined ? undefined : stateVersion.serial;
};

/** Describes the details of an entry that its changes do not show, each with a label. */
export const describeDetails = (
  { action, details }: Pick<EntryAttributes, 'action' | 'details'>,
  names: ReadonlyMap<string, string>,
): readonly (readonly [label: string, value: Shown])[] => {
  const { reason, consumers, assignments, variable, matches, run, configurationVersion, refusal, exchange, signIn } =
    (details ?? {}) as Details;
  const { presented = exchange?.presented } = (details ?? {}) as Details;
  const list = (ids: readonly string[]): Shown => ids.map((id) => toPart(id, names));
  const serial = rolledBackSerial(details);
  // The action of a report has the status.
  const withStatus = (name: string, status: string) => (action in reported ? name : `${name}: ${status}`);
  return [
    ...(serial === undefined ? [] : [['Rolled back to', `version ${serial}`] as const]),
    // The reason of a refused sign-in is a code, and any other one the text of a person.
    ...(reason ? [['Reason', signIn ? withCode(signInRefusals[reason], reason) : reason] as const] : []),
    ...(consumers
      ? [
          [
            `Consumers ${consumers.change}`,
            consumers.ids?.length ? list(consumers.ids) : consumers.count.toLocaleString(),
          ] as const,
        ]
      : []),
    // Without this, a part of the list would look like all of it.
    ...(consumers?.withheld && consumers.ids?.length
      ? [['Consumers in total', consumers.count.toLocaleString()] as const]
      : []),
    ...(['added', 'removed'] as const).flatMap((change) =>
      assignments && assignments[change].length > 0
        ? [[`${toWords(assignments.target)} ${change}`, list(assignments[change])] as const]
        : [],
    ),
    ...(assignments?.withheld ? [[toWords(assignments.target), 'not all are visible to you'] as const] : []),
    ...(variable && matches !== undefined
      ? [[`Compared value of ${variable.key ?? variable.id}`, matches ? 'equal' : 'different'] as const]
      : []),
    ...(run
      ? [['Run', [{ label: withStatus(names.get(run.id) ?? run.id, runStatusLabel(run.status)), id: run.id }]] as const]
      : []),
    ...(configurationVersion
      ? [['Configuration version', withStatus(configurationVersion.id, configurationVersion.status)] as const]
      : []),
    ...(exchange ? [['Refused exchange', withCode(exchange.message, exchange.reason)] as const] : []),
    ...(presented ? [['Identity token', `${presented.subject ?? 'no subject'} of ${presented.issuer}`] as const] : []),
    ...(refusal ? [['Refused request', `${refusal.operation} (${refusal.status})`] as const] : []),
  ];
};
