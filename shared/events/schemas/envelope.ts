import Type, { type Static, type TObject, type TProperties } from 'typebox';

/** What every event that goes out has, whatever it is about. Version 1 may gain members; what it has keeps its meaning. */

export const text = (description: string) => Type.String({ minLength: 1, description });
export const time = (description: string) => Type.String({ minLength: 20, format: 'date-time', description });

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

/** The schema of a type of events, from what it says beside the envelope. */
export const eventSchema = <const T extends string, P extends TProperties>(
  type: T,
  description: string,
  properties: P,
) => Type.Object({ ...envelope, type: Type.Literal(type), ...properties }, { title: type, description });

export const envelopeSchema = Type.Object({
  ...envelope,
  type: text('Type of the event. It determines the other members.'),
});
export type Envelope = Static<typeof envelopeSchema>;

/** What a type of events says beside the envelope: what all have is checked once, by one validator. */
export const besideEnvelope = ({ properties, required }: TObject) => {
  const own = Object.entries(properties).filter(([name]) => !Object.hasOwn(envelopeSchema.properties, name));
  return {
    type: 'object',
    required: (required ?? []).filter((name) => !Object.hasOwn(envelopeSchema.properties, name)),
    properties: Object.fromEntries(own),
  };
};
