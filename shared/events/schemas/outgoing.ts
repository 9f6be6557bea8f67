import Type, { type Static, type TProperties, type TSchema } from 'typebox';
import type { ChangeType } from '../../domain/changes/change-records.ts';
import { retentionPolicyTypes } from '../../domain/retention/retention-policy.ts';
import { eventSchema, text, time } from './envelope.ts';

/** What the events that go out say, type by type: one schema for each announcement that there is. */

const optional = <T extends TSchema>(schema: T) => Type.Optional(schema);
const nullable = (description: string) => Type.Unsafe<string | null>({ type: ['string', 'null'], description });

const keys = Type.Array(text('By its name in requests.'), { description: 'The attributes that changed.' });
const previous = optional(
  Type.Object(
    { name: optional(text('Its name before.')), project: optional(text('The project that it was in.')) },
    { description: 'What it was called, and where it was, where that is another now.' },
  ),
);
const variable = Type.Object(
  { id: text('It never changes.'), category: text('`infra` or `env`.'), key: text('After the change.') },
  { description: 'The variable; its value is in no event.' },
);
const ofStateVersion = {
  id: text('Of the state version.'),
  serial: optional(Type.Integer({ minimum: 0, description: 'The serial of the state.' })),
};
const stateVersion = Type.Object(ofStateVersion);
const newStateVersion = Type.Object({
  ...ofStateVersion,
  supersedes: optional(text('Of the state version whose content had not come: it is discarded.')),
});
const run = Type.Object({ id: text('Of the run.'), status: text('That it then had.') });
const configurationVersion = Type.Object({
  id: text('Of the configuration version.'),
  status: text('That it then had.'),
});
const lock = Type.Object({
  id: text('Of this lock.'),
  kind: Type.Unsafe<'User' | 'Team' | 'Run'>({ type: 'string', enum: ['User', 'Team', 'Run'] }),
  holder: text('Id of the user, team or run that holds it.'),
  reason: Type.String({ description: 'As it was given; may be empty.' }),
});
/** A lock is also taken and given back by runs, and what is released may make a state version the current one. */
const released = {
  stateVersion: optional(stateVersion),
  run: optional(run),
};

const define = <const T extends ChangeType, P extends TProperties>(type: T, description: string, properties: P) =>
  eventSchema(type, description, properties);

export const outgoingEvents = {
  'workspace.created': define('workspace.created', 'A workspace was created.', {}),
  'workspace.updated': define('workspace.updated', 'Settings of a workspace changed, or its name.', { keys, previous }),
  'workspace.moved': define('workspace.moved', 'A workspace was moved to another project.', { keys, previous }),
  'workspace.locked': define('workspace.locked', 'A workspace was locked, by a person or by a run that began.', {
    lock,
    run: optional(run),
  }),
  'workspace.unlocked': define('workspace.unlocked', 'A workspace was unlocked by who held its lock.', released),
  'workspace.force-unlocked': define(
    'workspace.force-unlocked',
    'The lock of a workspace was taken away from its holder.',
    released,
  ),
  'workspace.deleted': define('workspace.deleted', 'A workspace was deleted.', {
    forced: Type.Boolean({ description: 'Whether it was deleted whatever it managed and whoever held its lock.' }),
  }),
  'workspace.tags-changed': define('workspace.tags-changed', 'Tags of a workspace changed.', {
    tags: Type.Object({
      changed: Type.Array(text('Its name, or the key of a binding.'), { description: 'Added, removed or changed.' }),
      count: Type.Integer({ minimum: 0, description: 'How many it has now.' }),
    }),
  }),
  'workspace.consumers-changed': define(
    'workspace.consumers-changed',
    'Remote state consumers of a workspace changed.',
    {
      consumers: Type.Object({
        change: Type.Unsafe<'added' | 'removed' | 'replaced'>({
          type: 'string',
          enum: ['added', 'removed', 'replaced'],
        }),
        count: Type.Integer({ minimum: 0, description: 'How many workspaces the request named.' }),
        ids: optional(Type.Array(text('Of a workspace.'), { description: 'Which, where they are few.' })),
      }),
    },
  ),
  'workspace.access-changed': define('workspace.access-changed', 'What a team may do in a workspace changed.', {
    team: Type.Object({
      id: text('Of the team.'),
      access: nullable('The level that it has now, or `custom`; null: none on the workspace itself.'),
    }),
  }),
  'workspace.retention-policy-changed': define(
    'workspace.retention-policy-changed',
    'A workspace was given a data retention policy of its own, or lost it.',
    {
      retentionPolicy: Type.Unsafe<{ type: string; deleteOlderThanDays: number | null } | null>({
        ...Type.Object({
          type: Type.Unsafe<string>({ type: 'string', enum: [...retentionPolicyTypes] }),
          deleteOlderThanDays: Type.Unsafe<number | null>({ type: ['integer', 'null'], minimum: 1 }),
        }),
        type: ['object', 'null'],
        description: "Null: the organization's applies.",
      }),
    },
  ),
  'workspace.variable-created': define('workspace.variable-created', 'A workspace was given a variable.', { variable }),
  'workspace.variable-updated': define('workspace.variable-updated', 'A variable of a workspace changed.', {
    keys,
    variable,
  }),
  'workspace.variable-deleted': define('workspace.variable-deleted', 'A variable of a workspace was deleted.', {
    variable,
  }),
  'workspace.state-version-created': define(
    'workspace.state-version-created',
    'A state version was created; its content may still have to arrive.',
    { stateVersion: newStateVersion },
  ),
  'workspace.state-version-finalized': define(
    'workspace.state-version-finalized',
    'The content of a state version has arrived and was read.',
    { stateVersion },
  ),
  'workspace.state-version-deleted': define(
    'workspace.state-version-deleted',
    'A state version that is not the current one was deleted, as the data retention policy wants it.',
    { stateVersion },
  ),
  'workspace.run-updated': define('workspace.run-updated', 'The runner told of a run.', { run }),
  'workspace.configuration-version-updated': define(
    'workspace.configuration-version-updated',
    'The runner told of a configuration version.',
    { configurationVersion },
  ),
  'workspace.destroy-requested': define(
    'workspace.destroy-requested',
    'A scheduled destroy run is due: whoever runs workspaces is asked for it, this once.',
    { due: time('When it became due.') },
  ),
} as const satisfies Record<ChangeType, TSchema>;

export type OutgoingEvents = { readonly [T in ChangeType]: Static<(typeof outgoingEvents)[T]> };
export type OutgoingEvent = OutgoingEvents[ChangeType];
