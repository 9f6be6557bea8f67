import type { ChangeType } from '../../domain/changes/change-records.ts';
import type { ConfigurationReport } from '../../domain/runs/configuration-versions.ts';
import type { RunReport } from '../../domain/runs/run.ts';
import { withLease } from '../../domain/transitions/locks/lease.ts';
import {
  claimTaken,
  planConfigurationReport,
  planRunReport,
  requireReported,
} from '../../domain/transitions/run-reports.ts';
import { type RequestContext, recordChange, type Step } from '../../domain/transitions/transition.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Clock } from '../../lib/clock.ts';
import { newEventId } from '../../lib/random.ts';
import { type TryAgain, tryAgain } from '../../lib/retry.ts';
import type { Database } from '../dynamodb/database.ts';
import { ConditionFailed } from '../dynamodb/errors.ts';
import { keys } from '../dynamodb/keys.ts';
import { persist } from '../dynamodb/retry-writes.ts';
import {
  type Claiming,
  configurationVersionOf,
  configurationWrites,
  runKeyOf,
  runOf,
  runWrites,
  windowOf,
  windowWrite,
} from '../items/run-items.ts';
import { stepWrites } from '../items/workspace-writes.ts';
import type { Workspaces } from '../workspaces/workspace-store.ts';

/** Writes of a report in addition to the write of the workspace. */
interface Planned {
  readonly type: ChangeType;
  readonly step: Step;
  readonly additionalWrites: readonly Claiming[];
}

/**
 * Opens the merges of reports of runners into the stored runs. Each report is one transaction with its workspace. Every attempt
 * reads the stored items again, so a report that was already applied, but whose response was lost, changes nothing.
 */
export const openRunReports = (database: Database, { find }: Pick<Workspaces, 'find'>, clock: Clock) => {
  /** Sends the planned writes. @returns undefined after a conflict: the report must be planned again. */
  const send = async (
    image: Workspace,
    { type, step, additionalWrites }: Planned,
    request: RequestContext,
    now: number,
    remaining: number,
  ): Promise<true | TryAgain> => {
    const complete = withLease(step, image, now);
    const changeRecord = recordChange(newEventId(), type, request, now, complete);
    const { writes } = stepWrites(image.stored ?? image, complete, changeRecord, now);
    try {
      await database.transact([...writes, ...additionalWrites.map(({ write }) => write)], remaining);
      return true;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const claim = additionalWrites[error.index - writes.length]?.claim;
      // An earlier attempt or a concurrent report may have written the claim. It is read again.
      if (claim === undefined || error.image === undefined || claim.isOwn(error.image)) return tryAgain;
      throw claimTaken(claim.what);
    }
  };

  return {
    /**
     * @param organization name that the report gives as the organization of the workspace.
     * @throws DomainError 404 if the workspace does not exist, 409 if the id or the token belongs to another item.
     */
    reportRun: (organization: string, report: RunReport, request: RequestContext): Promise<void> => {
      const { workspace: id } = report;
      // Almost every report states the creation time that is in the key. Only a report that does not find its run needs the
      // pointer.
      let key = keys.run(id, report.createdAt, report.id);
      return persist('workspace', clock, async (now, remaining) => {
        const [workspace, before, windowItem] = await Promise.all([
          find(id),
          database.get(key, true),
          database.get(keys.runWindow(id), true),
        ]);
        const image = requireReported(organization, id, workspace);
        const known = { run: before && runOf(before), window: windowOf(windowItem) };
        const plan = planRunReport(image, known, report, request, now);
        if (plan === undefined) return true;
        const { step, type, run, window } = plan;
        const additionalWrites = [
          ...runWrites(image, before, run, now),
          ...(window === undefined ? [] : [{ write: windowWrite(id, windowItem, window) }]),
        ];
        const sent = await send(image, { type, step, additionalWrites }, request, now, remaining());
        if (sent === tryAgain && before === undefined) {
          const pointer = await database.get(keys.pointer(report.id), true);
          if (pointer !== undefined) key = runKeyOf(pointer);
        }
        return sent;
      }).then(() => undefined);
    },

    /** Stores the report of a configuration version, with the same errors as a run report. */
    reportConfiguration: (organization: string, report: ConfigurationReport, request: RequestContext): Promise<void> =>
      persist('workspace', clock, async (now, remaining) => {
        const { workspace: id } = report;
        const [workspace, before] = await Promise.all([
          find(id),
          database.get(keys.configurationVersion(id, report.id), true),
        ]);
        const image = requireReported(organization, id, workspace);
        const plan = planConfigurationReport(image, before && configurationVersionOf(before), report);
        if (plan === undefined) return true;
        const { step, configurationVersion, readme } = plan;
        const additionalWrites = configurationWrites(image, before, configurationVersion, readme);
        return send(
          image,
          { type: 'workspace.configuration-version-updated', step, additionalWrites },
          request,
          now,
          remaining(),
        );
      }).then(() => undefined),
  };
};

export type RunReports = ReturnType<typeof openRunReports>;
