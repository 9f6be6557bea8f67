import type { DynamoDBRecord } from 'aws-lambda';
import type { Entry } from '../../shared/events/bus.ts';
import { toOrganizationEvent, toOutgoingEvent, toVariableSetEvent } from '../../shared/events/outgoing-event.ts';
import {
  organizationChangeIn,
  rawChangeRecordIn,
  subjectKindIn,
  variableSetIn,
  workspaceIn,
} from '../../shared/store/workspaces/stream-records.ts';
import {
  envelope,
  organizationEnvelope,
  outgoing,
  variableSetEnvelope,
} from '../../shared/validators/compiled/events.js';

/** Result of converting a stream record: an event for the bus, or the reason why it cannot be published. */
export type Message =
  | { readonly kind: 'event'; readonly entry: Entry }
  | { readonly kind: 'poison'; readonly reason: string; readonly event: unknown };

/** Reads the event of a stream record, the time of the change, and the validators of the event. */
const read = (record: DynamoDBRecord) => {
  switch (subjectKindIn(record)) {
    case 'variable-set':
      return described(variableSetIn(record), toVariableSetEvent, variableSetEnvelope);
    case 'organization':
      return described(organizationChangeIn(record), toOrganizationEvent, organizationEnvelope);
    case 'workspace':
      return described(workspaceIn(record), toOutgoingEvent, envelope);
  }
};

const described = <
  S extends { readonly change: { readonly at: number } },
  E extends { readonly type: keyof typeof outgoing },
>(
  subject: S,
  toEvent: (subject: S) => E,
  validator: typeof envelope,
) => {
  const event = toEvent(subject);
  return { event, at: subject.change.at, validators: [validator, outgoing[event.type]] };
};

/** Converts a stream record to an event. The event is validated, because consumers rely on the published schema. */
export const messageOf = (record: DynamoDBRecord): Message => {
  try {
    const { event, at, validators } = read(record);
    const complaint = validators.flatMap((validate) => (validate(event) ? [] : (validate.errors ?? [])))[0];
    if (complaint === undefined) {
      return { kind: 'event', entry: { type: event.type, detail: JSON.stringify(event), time: at } };
    }
    const { instancePath, keyword } = complaint;
    return { kind: 'poison', reason: `The event does not match its schema: ${keyword} at ${instancePath}`, event };
  } catch (error) {
    const reason = `The event could not be created: ${(error as Error).message}`;
    return { kind: 'poison', reason, event: rawChangeRecordIn(record) };
  }
};
