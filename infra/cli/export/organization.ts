import type { Schemas } from '../../../shared/client/types.ts';
import { mapWithConcurrency } from '../../../shared/lib/concurrency.ts';
import type { Sorter } from '../bundle/sorter.ts';
import { type DirectoryNames, type Names, readDirectory, referencesOf, type Sink } from './directory.ts';
import type { Reader } from './reader.ts';
import type { WithVersions } from './workspaces.ts';

/** Place and way of the reading of an organization. */
interface Reading<V> {
  readonly organization: Schemas['Organization'];
  /** Ids of the workspaces to read. */
  readonly ids: ReadonlySet<string>;
  /** Names to which records can refer, by the ids of the workspaces. Those that are read are added. */
  readonly names: Map<string, string>;
  /** Reads everything but the workspaces. */
  readonly reader: Reader;
  readonly sink: Sink;
  /** Keeps the workspaces until the names of all records are known. */
  readonly spool: Sorter;
  readonly signal: AbortSignal;
  /** Reads a workspace. @returns undefined if it was deleted. */
  readonly read: (id: string) => Promise<WithVersions<V> | undefined>;
  readonly addVersion: (version: V) => Promise<void>;
}

/** Workspaces under way at once. */
const CONCURRENCY = 8;

/** Adds the records of a workspace, whose references are resolved now that the names of all others are known. */
export const addWorkspace = async <V>(
  { sink: { add }, addVersion }: Pick<Reading<V>, 'sink' | 'addVersion'>,
  found: WithVersions<V>,
  names: DirectoryNames,
  workspaces: Names,
): Promise<void> => {
  const { name } = found.record;
  const of = (type: Parameters<typeof referencesOf>[1]) =>
    referencesOf((missing) => add('withheld', missing), type, name);
  const { one } = of('workspaces');
  const { project = null } = await one('project', names.projects, found.project);
  await add('workspaces', {
    ...found.record,
    project,
    ...(await one('agent-pool', names.agentPools, found.agentPool)),
    ...(await one('ssh-key', names.sshKeys, found.sshKey)),
    ...(await one('vcs-connection', names.connections, found.oauthToken)),
  });
  for (const variable of found.variables) await add('variables', variable);
  for (const version of found.versions) await addVersion(version);
  for (const missing of found.withheld) await add('withheld', missing);
  const ids = found.consumers.map((id) => ({ id }));
  const { consumers = [] } = await of('remote-state-consumers').all('consumers', workspaces, ids);
  for (const consumer of consumers) await add('remote-state-consumers', { workspace: name, consumer });
  for (const { team: id, record } of found.access) {
    const { team } = await of('workspace-access').one('team', names.teams, id);
    if (team) await add('workspace-access', { ...record, team });
  }
};

/**
 * Reads an organization: workspaces first, whose references are named when all records are known.
 * @returns the names of what workspaces refer to.
 */
export const readOrganization = async <V>(reading: Reading<V>): Promise<DirectoryNames> => {
  const { organization, ids, names, reader, sink, spool, signal, read } = reading;
  await mapWithConcurrency(ids, CONCURRENCY, async (id) => {
    signal.throwIfAborted();
    const found = await read(id);
    if (found === undefined) {
      names.delete(id);
      return;
    }
    names.set(id, found.record.name);
    await spool.add(JSON.stringify(found));
  });
  const directory = await readDirectory(reader, sink, organization, names);
  for await (const line of spool.sorted()) {
    signal.throwIfAborted();
    await addWorkspace(reading, JSON.parse(line), directory, names);
  }
  return directory;
};
