import Type, { type Static, type TSchema } from 'typebox';
import type { ChangeType } from '../../domain/changes/change-records.ts';
import { retentionPolicyTypes } from '../../domain/state-versions/retention-policy.ts';
import { oneOf } from '../../schemas/schema.ts';
import {
  defineEvents,
  type EventDefinition,
  type EventOf,
  envelopes,
  heldLock,
  lockMembers,
  text,
  textOrNull,
  time,
} from './envelope.ts';

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);

export const keys = Type.Array(text('Name of the attribute as in requests.'), {
  description: 'The attributes that changed.',
});
const previous = optional(
  Type.Object(
    {
      name: optional(text('Name before the change.')),
      project: optional(text('Id of the project before the change.')),
    },
    { description: 'Previous name and project, where they changed.' },
  ),
);
export const variable = Type.Object(
  { id: text('Id, which never changes.'), category: text('`infra` or `env`.'), key: text('Key after the change.') },
  { description: 'The variable. No event contains its value.' },
);
export const matches = Type.Boolean({ description: 'Whether the value was that of the variable.' });
/** Builds the schema of the access of a team after a change. */
export const teamAccess = (description: string) =>
  Type.Object({ id: text('Id of the team.'), access: textOrNull(description) });
const retentionPolicy = (description: string) =>
  Type.Unsafe<{ type: string; deleteOlderThanDays: number | null } | null>({
    ...Type.Object({
      type: oneOf<readonly string[]>(retentionPolicyTypes),
      deleteOlderThanDays: Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1 }),
    }),
    type: ['object', 'null'],
    description,
  });
export const defaultRetentionPolicy = retentionPolicy('Null: workspaces without a policy of their own have none.');
const importedFrom = optional(
  Type.Object(
    {
      host: text('Host of the source, or name of the bucket or computer.'),
      organization: optional(text('Organization at the source.')),
      id: text('Id at the source, or path of a state, or version of an object.'),
      name: optional(text('Name of the workspace at the source.')),
      createdAt: optional(time('Time of the creation at the source.')),
      createdBy: optional(text('Who created it at the source.')),
      commit: optional(text('Commit of the configuration.')),
    },
    { description: 'Where it was imported from, as its creator said. Absent unless it was imported.' },
  ),
);
const stateVersionMembers = {
  id: text('Id of the state version.'),
  serial: optional(Type.Integer({ minimum: 0, description: 'The serial of the state.' })),
};
const stateVersion = Type.Object(stateVersionMembers);
const newStateVersion = Type.Object({
  ...stateVersionMembers,
  supersedes: optional(text('Id of the pending state version that was discarded.')),
  importedFrom,
  rolledBackTo: optional(
    text('Id of the state version whose content and serial it has. Absent unless a rollback created it.'),
  ),
});
const keptStateVersion = Type.Object({
  ...stateVersionMembers,
  backingData: oneOf(['available', 'soft-deleted', 'deleted'], 'Status of the content after the change.'),
});
const run = Type.Object({ id: text('Id of the run.'), status: text('Status at that time.') });
const configurationVersion = Type.Object({
  id: text('Id of the configuration version.'),
  status: text('Status at that time.'),
});
/** Members of unlock events: an unlock can promote a state version, and a run can release its own lock. */
const released = {
  lock: optional(
    Type.Object(lockMembers, { description: 'The lock that ended. Absent in events of earlier versions.' }),
  ),
  stateVersion: optional(stateVersion),
  run: optional(run),
};

/** Schemas of outgoing events: one for each type of change record (EVENT-1). */
export const outgoingEvents = defineEvents(envelopes.envelope, {
  'workspace.created': ['A workspace was created.', { importedFrom }],
  'workspace.updated': ['Settings of a workspace changed, or its name.', { keys, previous }],
  'workspace.moved': ['A workspace was moved to another project.', { keys, previous }],
  'workspace.locked': ['A workspace was locked, by a caller or by a run.', { lock: heldLock, run: optional(run) }],
  'workspace.unlocked': ['A workspace was unlocked by its lock holder.', released],
  'workspace.force-unlocked': [
    'The lock of a workspace was taken away from its holder.',
    { ...released, reason: optional(text('Reason that the request gave.')) },
  ],
  'workspace.lock-renewed': ['The lock holder renewed the lease of the lock.', { lock: heldLock }],
  'workspace.deleted': [
    'A workspace was deleted.',
    { forced: Type.Boolean({ description: 'Whether it was a force delete.' }) },
  ],
  'workspace.restored': ['A deleted workspace was restored.', { keys, previous, stateVersion: optional(stateVersion) }],
  'workspace.purged': ['The time in which a deleted workspace could be restored is over, or an owner ended it.', {}],
  'workspace.tags-changed': [
    'Tags of a workspace changed.',
    {
      tags: Type.Object({
        changed: Type.Array(text('Name of a flat tag, or key of a binding.'), {
          description: 'Added, removed or changed.',
        }),
        count: Type.Integer({ minimum: 0, description: 'Number of tags after the change.' }),
      }),
    },
  ],
  'workspace.consumers-changed': [
    'Remote state consumers of a workspace changed.',
    {
      consumers: Type.Object({
        change: oneOf(['added', 'removed', 'replaced']),
        count: Type.Integer({ minimum: 0, description: 'Number of workspaces in the request.' }),
        ids: optional(
          Type.Array(text('Id of a workspace.'), { description: 'Ids of the workspaces, if they are few.' }),
        ),
      }),
    },
  ],
  'workspace.access-changed': [
    'The access of a team to a workspace changed.',
    { team: teamAccess('Level after the change, or `custom`. Null: no access on the workspace itself.') },
  ],
  'workspace.retention-policy-changed': [
    'The data retention policy of a workspace was set or removed.',
    { retentionPolicy: retentionPolicy('Null: the default of the organization applies.') },
  ],
  'workspace.variable-created': ['A variable of a workspace was created.', { variable }],
  'workspace.variable-updated': ['A variable of a workspace changed.', { keys, variable }],
  'workspace.variable-deleted': ['A variable of a workspace was deleted.', { variable }],
  'workspace.variable-verified': [
    'A caller verified a value against that of a variable. The event does not contain the value.',
    { variable, matches },
  ],
  'workspace.state-version-created': [
    'A state version was created. Its content may still be pending.',
    { stateVersion: newStateVersion },
  ],
  'workspace.state-version-finalized': ['The content of a state version was read.', { stateVersion }],
  'workspace.state-version-deleted': ['A state version was deleted by the data retention policy.', { stateVersion }],
  'workspace.state-version-backing-data-changed': [
    'The content of a state version was deleted, softly or permanently, or restored.',
    { stateVersion: keptStateVersion },
  ],
  'workspace.run-updated': ['The runner reported a run.', { run }],
  'workspace.configuration-version-updated': ['The runner reported a configuration version.', { configurationVersion }],
  'workspace.destroy-requested': [
    'A scheduled destroy run is due. The event is published once; a runner starts the run.',
    { due: time('When it became due.') },
  ],
} satisfies Record<ChangeType, EventDefinition>);

type Schemas = typeof outgoingEvents;
export type OutgoingEvents = { readonly [T in keyof Schemas]: Static<Schemas[T]> };
export type OutgoingEvent = EventOf<Schemas>;
