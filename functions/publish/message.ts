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
    case 'variable-set': {
      const variableSet = variableSetIn(record);
      const event = toVariableSetEvent(variableSet);
      return { event, at: variableSet.change.at, validators: [variableSetEnvelope, outgoing[event.type]] };
    }
    case 'organization': {
      const changed = organizationChangeIn(record);
      const event = toOrganizationEvent(changed);
      return { event, at: changed.change.at, validators: [organizationEnvelope, outgoing[event.type]] };
    }
    case 'workspace': {
      const workspace = workspaceIn(record);
      const event = toOutgoingEvent(workspace);
      return { event, at: workspace.change.at, validators: [envelope, outgoing[event.type]] };
    }
  }
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
