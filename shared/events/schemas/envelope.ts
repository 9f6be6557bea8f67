import Type, { type Static, type TLiteral, type TObject, type TProperties } from 'typebox';
import { changedResourceTypes } from '../../domain/changes/organization-changes.ts';
import { nullable, oneOf } from '../../schemas/schema.ts';

/** Schema of a text that is not empty. */
export const text = (description: string) => Type.String({ minLength: 1, description });
/** Schema of an RFC 3339 timestamp. */
export const time = (description: string) => Type.String({ minLength: 20, format: 'date-time', description });
/** Schema of a text, which may be empty, or null. */
export const textOrNull = (description: string) => nullable(Type.String({ description }));

/**
 * Builds the members of every outgoing event. Version 1 may get more members; existing members keep their meaning.
 * @param noun what the events are about, and `subject` the member that describes it.
 */
const envelopeOf = <const S extends TProperties, const V extends 1 | 2 = 1>(
  noun: string,
  subject: S,
  version: V = 1 as V,
) => ({
  version: Type.Literal(version, { description: 'Version of the event format.' }),
  id: text('Id of the event. A repeated event has the same id.'),
  sequence: Type.Integer({
    minimum: 1,
    description: `Number of the change of the ${noun}, from 1 without a gap. It orders the events and reveals missing ones.`,
  }),
  time: time('When the change was made.'),
  organization: text('Name of the organization.'),
  ...subject,
  actor: Type.Object(
    {
      kind: oneOf(['user', 'team', 'organization', 'run', 'service']),
      id: text('Id of the user, team or run, name of the organization, or name of the service.'),
    },
    { description: 'Who made the change.' },
  ),
  requestId: text('Id of the request that made the change. All events of one request have the same id.'),
});

const optional = Type.Optional;

/** Members that identify a lock and its holder. */
export const lockMembers = {
  id: text('Id of the lock.'),
  kind: oneOf(['User', 'Team', 'Run']),
  holder: text('Id of the user, team or run that holds the lock, or held it.'),
  name: optional(text('Name of the holder. Absent in events of earlier versions.')),
};

/** Schema of a lock that is held. */
export const heldLock = Type.Object({
  ...lockMembers,
  reason: Type.String({ description: 'Reason of the lock; may be empty.' }),
  lockedAt: optional(time('When the lock was taken. Absent in events of earlier versions.')),
  expiresAt: optional(time('End of its lease. Absent for a lock without a lease.')),
});

/** The workspace after the change: what lists show of it. It contains no description, no value and no repository. */
const row = Type.Object(
  {
    name: text('Name.'),
    project: text('Id of the project.'),
    lock: Type.Unsafe<Static<typeof heldLock> | null>({
      anyOf: [heldLock, { type: 'null' }],
      description: 'The lock. Null: the workspace is not locked.',
    }),
    tags: Type.Array(
      Type.Object({
        key: text('Name of a flat tag, or key of a binding.'),
        value: textOrNull('Null: flat tag.'),
      }),
      { description: 'Tags in their order.' },
    ),
    mode: textOrNull('Own execution mode. Null: inherited.'),
    version: text('Version of the infrastructure tool, as it was given.'),
    protection: nullable(Type.Boolean({ description: 'Own deletion protection. Null: inherited.' })),
    runStatus: textOrNull('Status of the current run. Null: no run.'),
    deleted: Type.Boolean({ description: 'Whether the workspace is deleted.' }),
  },
  { description: 'The workspace after the change.' },
);

const envelope = envelopeOf(
  'workspace',
  {
    workspace: Type.Object({
      id: text('Id, which never changes.'),
      name: text('Name after the change.'),
      project: text('Id of the project after the change.'),
    }),
    expiredLock: optional(
      Type.Object(
        {
          ...lockMembers,
          expiresAt: time('End of its lease.'),
          stateVersion: optional(
            Type.Object(
              { id: text('Id of the state version.'), serial: Type.Integer({ minimum: 0 }) },
              { description: 'The state version that became the current one with the end of the lock.' },
            ),
          ),
        },
        { description: 'The lock that ended because its lease had expired before this change.' },
      ),
    ),
    row,
  },
  2,
);

const variableSetEnvelope = envelopeOf('variable set', {
  variableSet: Type.Object({
    id: text('Id, which never changes.'),
    name: text('Name after the change.'),
    project: textOrNull('Id of the project that owns the variable set. Null: the organization owns it.'),
    global: Type.Boolean({ description: 'Whether it applies to all workspaces of the organization.' }),
  }),
});

const organizationEnvelope = {
  ...envelopeOf('resource', {
    resource: Type.Object(
      {
        type: oneOf<readonly string[]>(changedResourceTypes),
        id: text(
          'Id, which never changes: the name of an organization, `<team id>/<user id>` of a membership of a team.',
        ),
        name: textOrNull('Name after the change; the description of a token. Null: it has none.'),
      },
      { description: 'What changed.' },
    ),
  }),
  organization: textOrNull('Name of the organization. Null for tokens of users and of site administrators.'),
  actor: Type.Object(
    {
      kind: oneOf([
        'user',
        'team',
        'organization',
        'audit-trails',
        'site',
        'service',
        'workload-identity',
        'identity-provider',
      ]),
      id: text(
        'Id of the user, team or workload identity, name of the organization, service or identity provider, or `site`.',
      ),
    },
    { description: 'Who made the change.' },
  ),
};

const anyType = { type: text('Type of the event. It determines the other members.') };

/** Members that all outgoing events share: of workspaces, of variable sets, and of organizations and what belongs to them. */
export const envelopes = {
  envelope: Type.Object({ ...envelope, ...anyType }),
  variableSetEnvelope: Type.Object({ ...variableSetEnvelope, ...anyType }),
  organizationEnvelope: Type.Object({ ...organizationEnvelope, ...anyType }),
};
export type Envelope = Static<typeof envelopes.envelope>;

/** Description of an event type, and the members that it adds to the envelope. */
export type EventDefinition = readonly [description: string, members: TProperties];

/** Creates the schemas of event types. */
export const defineEvents = <E extends TProperties, D extends Readonly<Record<string, EventDefinition>>>(
  envelope: TObject<E>,
  definitions: D,
) =>
  Object.fromEntries(
    Object.entries(definitions).map(([type, [description, members]]) => [
      type,
      Type.Object({ ...envelope.properties, type: Type.Literal(type), ...members }, { title: type, description }),
    ]),
  ) as unknown as { readonly [T in keyof D & string]: TObject<Omit<E, 'type'> & { type: TLiteral<T> } & D[T][1]> };

/** Any event of the schemas of event types. */
export type EventOf<S extends Readonly<Record<string, TObject>>> = Static<S[keyof S]>;

/** Names of the members of the envelopes. No event type adds a member with one of them. */
const shared: ReadonlySet<string> = new Set(
  Object.values(envelopes).flatMap(({ properties }) => Object.keys(properties)),
);

/** Returns the schema of the members that an event type adds. One validator checks the envelope for all types. */
export const schemaWithoutEnvelope = ({ properties, required }: TObject) => {
  const own = Object.entries(properties).filter(([name]) => !shared.has(name));
  return {
    type: 'object',
    required: (required ?? []).filter((name) => !shared.has(name)),
    properties: Object.fromEntries(own),
  };
};
