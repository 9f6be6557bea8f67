import Type, { type Static, type TObject, type TProperties } from 'typebox';

/** Schema of a text that is not empty. */
export const text = (description: string) => Type.String({ minLength: 1, description });
/** Schema of an RFC 3339 timestamp. */
export const time = (description: string) => Type.String({ minLength: 20, format: 'date-time', description });

/** Members of every outgoing event. Version 1 may get more members; existing members keep their meaning. */
const envelope = {
  version: Type.Literal(1, { description: 'Version of the event format.' }),
  id: text('Id of the event. A repeated event has the same id.'),
  sequence: Type.Integer({
    minimum: 1,
    description:
      'Number of the change of the workspace, from 1 without a gap. It orders the events and reveals missing ones.',
  }),
  time: time('When the change was made.'),
  organization: text('Name of the organization.'),
  workspace: Type.Object({
    id: text('Id, which never changes.'),
    name: text('Name after the change.'),
    project: text('Id of the project after the change.'),
  }),
  actor: Type.Object(
    {
      kind: Type.Unsafe<'user' | 'team' | 'organization' | 'run' | 'service'>({
        type: 'string',
        enum: ['user', 'team', 'organization', 'run', 'service'],
      }),
      id: text('Id of the user, team or run, name of the organization, or name of the service.'),
    },
    { description: 'Who made the change.' },
  ),
  requestId: text('Id of the request that made the change. All events of one request have the same id.'),
};

/** Creates the schema of an event type. @param properties the members that it adds to the envelope. */
export const eventSchema = <const T extends string, P extends TProperties>(
  type: T,
  description: string,
  properties: P,
) => Type.Object({ ...envelope, type: Type.Literal(type), ...properties }, { title: type, description });

/** Schema of the members that all outgoing events share. */
export const envelopeSchema = Type.Object({
  ...envelope,
  type: text('Type of the event. It determines the other members.'),
});
export type Envelope = Static<typeof envelopeSchema>;

/** Returns the schema of the members that an event type adds. One validator checks the envelope for all types. */
export const schemaWithoutEnvelope = ({ properties, required }: TObject) => {
  const own = Object.entries(properties).filter(([name]) => !Object.hasOwn(envelopeSchema.properties, name));
  return {
    type: 'object',
    required: (required ?? []).filter((name) => !Object.hasOwn(envelopeSchema.properties, name)),
    properties: Object.fromEntries(own),
  };
};
