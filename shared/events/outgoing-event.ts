import type { ChangeType, Details } from '../domain/changes/change-records.ts';
import type { Workspace } from '../domain/workspace/workspace-record.ts';
import { timestamp } from '../lib/clock.ts';
import type { Envelope } from './schemas/envelope.ts';
import type { OutgoingEvent, OutgoingEvents } from './schemas/outgoing.ts';

/** Attributes that requests call otherwise than their name in the domain spelt with hyphens. */
const spellings: Readonly<Record<string, string>> = {
  agentPool: 'agent-pool-id',
  overwrites: 'setting-overwrites',
  tags: 'tag-bindings',
};

const wireName = (key: string): string =>
  spellings[key] ?? key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** What is announced must be there: an event is never sent in part. */
const requirePermission = <T>(value: T | undefined, name: string): T => {
  if (value === undefined) throw new TypeError(`The change record says nothing of ${name}`);
  return value;
};

const keysOf = ({ keys }: Details) => ({ keys: (keys ?? []).map(wireName) });
const previousOf = ({ previous }: Details) => previous && { previous };
const variableOf = ({ variable }: Details) => ({ variable: requirePermission(variable, 'a variable') });
const stateVersionOf = ({ stateVersion }: Details) => ({
  stateVersion: requirePermission(stateVersion, 'a state version'),
});
const runOf = ({ run }: Details) => run && { run };
const released = ({ stateVersion, run }: Details) => ({ ...(stateVersion && { stateVersion }), ...(run && { run }) });

type Told<T extends ChangeType> = Omit<OutgoingEvents[T], keyof Envelope>;

/** What each type of event says beside the envelope, from the change record and the workspace as it was then. */
const told: { readonly [T in ChangeType]: (details: Details, workspace: Workspace) => Told<T> } = {
  'workspace.created': () => ({}),
  'workspace.updated': (details) => ({ ...keysOf(details), ...previousOf(details) }),
  'workspace.moved': (details) => ({ ...keysOf(details), ...previousOf(details) }),
  'workspace.locked': (details, { lock }) => {
    const { id, kind, by, reason } = requirePermission(lock, 'a lock');
    return { lock: { id, kind, holder: by, reason }, ...runOf(details) };
  },
  'workspace.unlocked': released,
  'workspace.force-unlocked': released,
  'workspace.deleted': ({ forced }) => ({ forced: forced ?? false }),
  'workspace.tags-changed': ({ keys }, { tags }) => ({ tags: { changed: [...(keys ?? [])], count: tags.length } }),
  'workspace.consumers-changed': ({ consumers }) => {
    const { change, count, ids } = requirePermission(consumers, 'consumers');
    return { consumers: { change, count, ...(ids && { ids: [...ids] }) } };
  },
  'workspace.access-changed': ({ team }) => ({ team: requirePermission(team, 'a team') }),
  'workspace.retention-policy-changed': (_, { retentionPolicy }) => ({
    retentionPolicy: retentionPolicy
      ? { type: retentionPolicy.type, deleteOlderThanDays: retentionPolicy.deleteOlderThanDays }
      : null,
  }),
  'workspace.variable-created': variableOf,
  'workspace.variable-updated': (details) => ({ ...keysOf(details), ...variableOf(details) }),
  'workspace.variable-deleted': variableOf,
  'workspace.state-version-created': stateVersionOf,
  'workspace.state-version-finalized': stateVersionOf,
  'workspace.state-version-deleted': stateVersionOf,
  'workspace.run-updated': ({ run }) => ({ run: requirePermission(run, 'a run') }),
  'workspace.configuration-version-updated': ({ configurationVersion }) => ({
    configurationVersion: requirePermission(configurationVersion, 'a configuration version'),
  }),
  'workspace.destroy-requested': ({ due }) => ({ due: timestamp(requirePermission(due, 'a due time')) }),
};

/**
 * The event that a workspace's last change is to others, from the workspace as that change left it.
 * @throws TypeError when it is announced as nothing that there is an event for.
 */
export const outgoingEventOf = (workspace: Workspace): OutgoingEvent => {
  const { change, sequence, organization, id, name, project } = workspace;
  if (!Object.hasOwn(told, change.type)) throw new TypeError(`There is no event for ${change.type}`);
  return {
    version: 1,
    id: change.id,
    type: change.type,
    sequence,
    time: timestamp(change.at),
    organization,
    workspace: { id, name, project },
    actor: { kind: change.actor.kind, id: change.actor.id },
    requestId: change.request,
    ...told[change.type](change, workspace),
  } as OutgoingEvent;
};
