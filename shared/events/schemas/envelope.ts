import Type, { type Static, type TObject, type TProperties } from 'typebox';

/** What every event that goes out has, whatever it is about. Version 1 may gain members; what it has keeps its meaning. */

export const text = (description: string) => Type.String({ minLength: 1, description });
export const time = (description: string) => Type.String({ minLength: 20, format: 'date-time', description });

const envelope = {
  version: Type.Literal(1, { description: 'Of this form of event.' }),
  id: text('The same whenever the event is sent again, and of no other event.'),
  sequence: Type.Integer({
    minimum: 1,
    description:
      'Counts the changes of the workspace, from 1 on without a gap: it orders them and shows what is missing.',
  }),
  time: time('When the change was made.'),
  organization: text('By its name.'),
  workspace: Type.Object({
    id: text('It never changes.'),
    name: text('After the change.'),
    project: text('Its id, after the change.'),
  }),
  actor: Type.Object(
    {
      kind: Type.Unsafe<'user' | 'team' | 'organization' | 'run' | 'service'>({
        type: 'string',
        enum: ['user', 'team', 'organization', 'run', 'service'],
      }),
      id: text('Of the user, team or run, the name of the organization, or of what acts of its own accord.'),
    },
    { description: 'Who made the change.' },
  ),
  requestId: text(
    'Of the request that made the change; a request that changes several workspaces is in all their events.',
  ),
};

/** The schema of a type of events, from what it says beside the envelope. */
export const eventSchema = <const T extends string, P extends TProperties>(
  type: T,
  description: string,
  properties: P,
) => Type.Object({ ...envelope, type: Type.Literal(type), ...properties }, { title: type, description });

export const envelopeSchema = Type.Object({ ...envelope, type: text('Of the event; it says what else is in it.') });
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
