import type { HubEvent, Member } from '../../../shared/domain/hub/hub-row.ts';
import { consume, invalidEvent, timeOf, validated } from '../../../shared/events/consume.ts';
import type { DeadLetters } from '../../../shared/events/dead-letters.ts';
import type { HubCompletion, HubEnvelope, HubWorkspace } from '../../../shared/events/schemas/hub.ts';
import { SNAPSHOTS } from '../../../shared/events/sources.ts';
import { type Logger, messages } from '../../../shared/logging/log.ts';
import type { HubStore } from '../../../shared/store/hub/hub-store.ts';
import { hubCompletion, hubEnvelope, hubWorkspace } from '../../../shared/validators/compiled/hub.js';

export interface HubReceiverDependencies {
  readonly store: Pick<HubStore, 'apply' | 'completeSnapshot'>;
  readonly deadLetters: DeadLetters;
  readonly logger: Logger;
}

/** Longest name of a deployment. */
const DEPLOYMENT_NAME = 64;

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
      ...(lockedAt !== undefined && { since: timeOf('lockedAt', lockedAt) }),
      ...(expiresAt !== undefined && { expiresAt: timeOf('expiresAt', expiresAt) }),
    },
  };
};

const eventOf = (envelope: HubEnvelope, detail: HubWorkspace): HubEvent => ({
  id: detail.workspace.id,
  deployment: deploymentOf(envelope),
  sequence: detail.sequence,
  changedAt: timeOf('time', detail.time),
  // Only events of the source of snapshots count as such, whatever their detail contains.
  ...(envelope.source === SNAPSHOTS &&
    detail.snapshotAt !== undefined && { snapshotAt: timeOf('snapshotAt', detail.snapshotAt) }),
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
      if (deployment === null) throw invalidEvent('The snapshot names no deployment.');
      return store.completeSnapshot({ account, region }, deployment, timeOf('snapshotAt', snapshotAt));
    }
    return handleWorkspace({ account, region }, eventOf(envelope, validated(hubWorkspace, detail)));
  };

  return consume(handle, deadLetters, (details) => logger.warn(messages.HUB_EVENT_REJECTED, details));
};
