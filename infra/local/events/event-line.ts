import type { ActorNames } from '../service/actor-names.ts';

/** As much of an event in an archive as a person is told. */
export interface ArchivedEvent {
  readonly time: string;
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: Readonly<Record<string, unknown>>;
}

type Part = Readonly<Record<string, unknown>>;
const part = (value: unknown): Part => (typeof value === 'object' && value !== null ? (value as Part) : {});
const list = (value: unknown): string => (Array.isArray(value) ? value.join(', ') : '');

/** What may be told beside the type, from what the events of any type have; nothing of it is demanded. */
const detailsOf = (detail: Part): string[] => {
  const { keys, previous, lock, run, variable, stateVersion, tags, consumers, team, due, version } = detail;
  const configuration = part(detail['configurationVersion'] ?? detail['configuration-version']);
  const said = (value: unknown, text: string): string[] => (value === undefined || value === '' ? [] : [text]);
  return [
    ...said(variable, `${part(variable)['category']} ${part(variable)['key']}`),
    ...said(keys, list(keys)),
    ...said(part(previous)['name'], `was ${part(previous)['name']}`),
    ...said(part(previous)['project'], `from ${part(previous)['project']}`),
    ...said(part(lock)['reason'], `"${part(lock)['reason']}"`),
    ...said(stateVersion, `${part(stateVersion)['id']}`),
    ...said(part(stateVersion)['serial'], `serial ${part(stateVersion)['serial']}`),
    ...said(run, `${part(run)['id']} ${part(run)['status']}`),
    ...said(configuration['id'], `${configuration['id']} ${configuration['status']}`),
    ...said(part(tags)['changed'], list(part(tags)['changed'])),
    ...said(consumers, `${part(consumers)['count']} ${part(consumers)['change']}`),
    ...said(team, `${part(team)['id']} ${part(team)['access'] ?? 'none'}`),
    ...said(due, `due ${due}`),
    ...said(version === 1 ? undefined : version, `${version}`),
    ...(detail['forced'] === true ? ['by force'] : []),
  ];
};

/** `2026-11-21 08:30:00`, where the reader is. */
const clockTime = (time: string): string => new Date(time).toLocaleString('sv-SE');

/** No control character of a reason or a name reaches the terminal. */
const printable = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ');

/** Makes a line for a person of each event: when, which workspace, what happened, by whom. */
export const openEventLines = (actorName: ActorNames): ((event: ArchivedEvent) => Promise<string>) => {
  /** Events that come in know a workspace by its id only. */
  const names = new Map<string, string>();
  return async ({ time, source, 'detail-type': type, detail }) => {
    const { workspace, actor, sequence } = detail;
    const { id, name } = part(workspace);
    if (typeof id === 'string' && typeof name === 'string') names.set(id, name);
    const known = name ?? (typeof workspace === 'string' ? (names.get(workspace) ?? workspace) : '-');
    const what = type.replace(/^workspace\./, '').replaceAll(/[-.]/g, ' ');
    const details = detailsOf(detail).join(', ');
    const { kind, id: by } = part(actor);
    const whom = kind === undefined ? `from ${source}` : `by ${kind} ${await actorName(String(kind), String(by))}`;
    const number = sequence === undefined ? '' : `#${sequence}`;
    const line = [
      clockTime(time),
      String(known).padEnd(24),
      number.padEnd(5),
      details ? `${what}: ${details}` : what,
      whom,
    ];
    return printable(line.join('  '));
  };
};
