import { DomainError } from '../domain/errors.ts';
import { parseTimestamp } from '../domain/timestamps.ts';
import { errorOf, findComplaint, type Validator } from '../schemas/error-messages.ts';
import type { DeadLetters } from './dead-letters.ts';

/** Creates the error of an event that can never be handled. */
export const invalidEvent = (problem: string): DomainError => new DomainError('unprocessable', problem);

/** Validates a part of an event. @throws DomainError with the first violation of the schema and its pointer. */
export const validated = <T>(validate: Validator, value: unknown): T => {
  const complaint = findComplaint(validate, value);
  if (complaint !== undefined) throw invalidEvent(`${errorOf(complaint).detail} (${complaint.instancePath || '/'}).`);
  return value as T;
};

/** Reads a time of an event. @param name of the time, for the error. @throws DomainError if the time does not exist. */
export const timeOf = (name: string, text: string): number => {
  const time = parseTimestamp(text);
  if (time === undefined) throw invalidEvent(`${name} is not a valid time: ${text}.`);
  return time;
};

/**
 * Creates the handler of events of a bus. An invalid event goes to the dead-letter queue with the reason. A transient error is
 * thrown, and Lambda retries the event.
 */
export const consume =
  (
    handle: (event: unknown) => Promise<void>,
    deadLetters: DeadLetters,
    log: (details: Record<string, unknown>) => void,
  ) =>
  async (event: unknown): Promise<void> => {
    try {
      await handle(event);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'unavailable') throw error;
      const reason = error.detail ?? error.message;
      await deadLetters({ reason, event });
      log({ eventId: String(Object(event)['id']), reason });
    }
  };
