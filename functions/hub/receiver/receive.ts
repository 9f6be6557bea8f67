import { DomainError } from '../../../shared/domain/errors.ts';
import type { HubEvent, Member } from '../../../shared/domain/hub/hub-row.ts';
import { parseTimestamp } from '../../../shared/domain/timestamps.ts';
import type { DeadLetters } from '../../../shared/events/dead-letters.ts';
import type { HubCompletion, HubEnvelope, HubWorkspace } from '../../../shared/events/schemas/hub.ts';
import { SNAPSHOTS } from '../../../shared/events/sources.ts';
import { type Logger, messages } from '../../../shared/logging/log.ts';
import { errorOf, type Validator } from '../../../shared/schemas/error-messages.ts';
import type { HubStore } from '../../../shared/store/hub/hub-store.ts';
import { hubCompletion, hubEnvelope, hubWorkspace } from '../../../shared/validators/compiled/hub.js';

/** Dependencies of the receiver of the hub. */
export interface HubReceiverDependencies {
  readonly store: Pick<HubStore, 'apply' | 'completeSnapshot'>;
  readonly deadLetters: DeadLetters;
  readonly logger: Logger;
}

/** Longest name of a deployment. */
const DEPLOYMENT_NAME = 64;

/** Validates a part of an event. @throws DomainError with the first violation of the schema and its pointer. */
const validated = <T>(validate: Validator, value: unknown): T => {
  if (validate(value)) return value as T;
  const [complaint] = validate.errors ?? [];
  if (complaint === undefined) throw new TypeError('The validator reported no error');
  throw new DomainError('unprocessable', `${errorOf(complaint).detail} (${complaint.instancePath || '/'}).`);
};

/** Reads a time. @throws DomainError if it does not exist. */
const timeOf = (text: string): number => {
  const time = parseTimestamp(text);
  if (time === undefined) throw new DomainError('unprocessable', `${text} is not a time.`);
  return time;
};

/** Reads the name of the deployment, which sends it as the resource of its events (EVENT-19). */
const deploymentOf = ({ resources }: HubEnvelope): string | null => resources?.[0]?.slice(0, DEPLOYMENT_NAME) ?? null;

/** Copies the parts that readers see (HUB-5), and nothing else. */
const contentOf = ({ organization, row }: HubWorkspace): HubEvent['content'] => {
  const { name, project, version, tags, lock, deleted } = row;
  if (deleted) return null;
  const shown = { organization, name, project, version, tags: tags.map(({ key, value }) => ({ key, value })) };
  if (lock === null) return { ...shown, lock };
  const { id, kind, holder, name: holderName, reason, lockedAt, expiresAt } = lock;
  return {
    ...shown,
    lock: {
      ...{ id, kind, holder, reason },
      ...(holderName !== undefined && { name: holderName }),
      ...(lockedAt !== undefined && { since: timeOf(lockedAt) }),
      ...(expiresAt !== undefined && { expiresAt: timeOf(expiresAt) }),
    },
  };
};

const eventOf = (envelope: HubEnvelope, detail: HubWorkspace): HubEvent => ({
  id: detail.workspace.id,
  deployment: deploymentOf(envelope),
  sequence: detail.sequence,
  changedAt: timeOf(detail.time),
  // Only events of the source of snapshots count as such, whatever their detail contains.
  ...(envelope.source === SNAPSHOTS && detail.snapshotAt !== undefined && { snapshotAt: timeOf(detail.snapshotAt) }),
  content: contentOf(detail),
});

/**
 * Creates the handler of the events that members forward to the bus of the hub (HUB-1). An invalid event goes to the
 * dead-letter queue with the reason. A transient error is thrown, and Lambda retries the event.
 */
export const createHandler = ({ store, deadLetters, logger }: HubReceiverDependencies) => {
  const handleWorkspace = async (member: Member, event: HubEvent): Promise<void> => {
    const { before, after } = await store.apply(member, event);
    if (after !== undefined && after.missing.length > (before?.missing.length ?? 0)) {
      logger.warn(messages.HUB_GAP, { ...member, workspace: after.id, missing: after.missing });
    }
  };

  const handle = async (event: unknown): Promise<void> => {
    const envelope = validated<HubEnvelope>(hubEnvelope, event);
    const { account, region, source } = envelope;
    const { detail } = event as { readonly detail: unknown };
    if (source === SNAPSHOTS && envelope['detail-type'] === 'snapshot.completed') {
      const { snapshotAt } = validated<HubCompletion>(hubCompletion, detail);
      const deployment = deploymentOf(envelope);
      if (deployment === null) throw new DomainError('unprocessable', 'The snapshot names no deployment.');
      return store.completeSnapshot({ account, region }, deployment, timeOf(snapshotAt));
    }
    return handleWorkspace({ account, region }, eventOf(envelope, validated(hubWorkspace, detail)));
  };

  return async (event: unknown): Promise<void> => {
    try {
      await handle(event);
    } catch (error) {
      if (!(error instanceof DomainError) || error.code === 'unavailable') throw error;
      const reason = error.detail ?? error.message;
      await deadLetters({ reason, event });
      logger.warn(messages.HUB_EVENT_REJECTED, { eventId: String(Object(event)['id']), reason });
    }
  };
};
