import type { LocalAccess } from '../service/data-folder.ts';

/** The parts of an archived event that a line shows. */
export interface ArchivedEvent {
  readonly time: string;
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;
const toFields = (value: unknown): Fields => (typeof value === 'object' && value !== null ? (value as Fields) : {});
const list = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');

/** Describes the details of an event of any type. Fields that the event does not have are skipped. */
const describeDetail = (detail: Fields): string[] => {
  const { keys, previous, lock, run, variable, stateVersion, tags, consumers, team, due, version } = detail;
  const configuration = toFields(detail['configurationVersion'] ?? detail['configuration-version']);
  const textIf = (value: unknown, text: string): string[] => (value === undefined || value === '' ? [] : [text]);
  return [
    ...textIf(variable, `${toFields(variable)['category']} ${toFields(variable)['key']}`),
    ...textIf(keys, list(keys)),
    ...textIf(toFields(previous)['name'], `was ${toFields(previous)['name']}`),
    ...textIf(toFields(previous)['project'], `from ${toFields(previous)['project']}`),
    ...textIf(toFields(lock)['reason'], `"${toFields(lock)['reason']}"`),
    ...textIf(stateVersion, `${toFields(stateVersion)['id']}`),
    ...textIf(toFields(stateVersion)['serial'], `serial ${toFields(stateVersion)['serial']}`),
    ...textIf(toFields(stateVersion)['rolledBackTo'], `rolled back to ${toFields(stateVersion)['rolledBackTo']}`),
    ...textIf(run, `${toFields(run)['id']} ${toFields(run)['status']}`),
    ...textIf(configuration['id'], `${configuration['id']} ${configuration['status']}`),
    ...textIf(toFields(tags)['changed'], list(toFields(tags)['changed'])),
    ...textIf(consumers, `${toFields(consumers)['count']} ${toFields(consumers)['change']}`),
    ...textIf(
      team,
      [toFields(team)['id'], ...('access' in toFields(team) ? [toFields(team)['access'] ?? 'none'] : [])].join(' '),
    ),
    ...textIf(toFields(detail['user'])['id'], `${toFields(detail['user'])['id']}`),
    ...textIf(toFields(detail['reservedTagKey'])['key'], `${toFields(detail['reservedTagKey'])['key']}`),
    ...textIf(due, `due ${due}`),
    ...textIf(typeof version === 'number' ? undefined : version, `${version}`),
    ...(detail['forced'] === true ? ['by force'] : []),
  ];
};

/** Formats a time in the time zone of this computer: `2026-11-21 08:30:00`. */
const localTime = (time: string): string => new Date(time).toLocaleString('sv-SE');

/** Replaces control characters, because a name or a reason must not control the terminal. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

/** Looks up the name of a user or a team; returns its id when the name cannot be found. */
type ActorNames = (kind: string, id: string) => Promise<string>;

const resources: Readonly<Record<string, readonly [path: string, attribute: string]>> = {
  user: ['users', 'username'],
  team: ['teams', 'name'],
};
const TIMEOUT_MILLIS = 2_000;

/** Creates a lookup that requests each name once from the running service, with the token of the first start. */
export const createActorNames = (access: LocalAccess | undefined): ActorNames => {
  const cached = new Map<string, Promise<string>>();
  const fetchName = async (kind: string, id: string): Promise<string> => {
    const [path, attribute] = resources[kind] ?? [];
    if (access?.token === undefined || path === undefined || attribute === undefined) return id;
    try {
      const response = await fetch(`${access.baseUrl}/${path}/${id}`, {
        headers: { authorization: `Bearer ${access.token}` },
        signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      });
      const { data } = (await response.json()) as { data?: { attributes?: Record<string, unknown> } };
      return String(data?.attributes?.[attribute] ?? id);
    } catch {
      return id;
    }
  };
  return (kind, id) => {
    const name = cached.get(id) ?? fetchName(kind, id);
    cached.set(id, name);
    return name;
  };
};

/**
 * Creates a function that formats an event as one line: time, workspace or other resource, sequence, what happened, and who did it. The
 * function stores the names of workspaces, so it must also receive the events that are not printed.
 */
export const createEventFormatter = (actorName: ActorNames): ((event: ArchivedEvent) => Promise<string>) => {
  /** Names of workspaces by id. Events of runners contain only the id. */
  const names = new Map<string, string>();
  return async ({ time, source, 'detail-type': type, detail }) => {
    const { workspace, resource, actor, sequence } = detail;
    const { id, name } = toFields(workspace);
    if (typeof id === 'string' && typeof name === 'string') names.set(id, name);
    const other = toFields(resource)['name'] ?? toFields(resource)['id'] ?? '-';
    const shownName = name ?? (typeof workspace === 'string' ? (names.get(workspace) ?? workspace) : other);
    const action = type.replace(/^workspace\./, '').replaceAll(/[-.]/g, ' ');
    const details = describeDetail(detail).join(', ');
    const { kind, id: actorId } = toFields(actor);
    const origin =
      kind === undefined ? `from ${source}` : `by ${kind} ${await actorName(String(kind), String(actorId))}`;
    const number = sequence === undefined ? '' : `#${sequence}`;
    const line = [
      localTime(time),
      String(shownName).padEnd(24),
      number.padEnd(5),
      details ? `${action}: ${details}` : action,
      origin,
    ];
    return printable(line.join('  '));
  };
};
