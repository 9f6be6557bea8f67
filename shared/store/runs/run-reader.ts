import type { IdKind } from '../../domain/ids.ts';
import { isId } from '../../domain/ids.ts';
import type { ConfigurationVersion } from '../../domain/runs/configuration-versions.ts';
import type { Run } from '../../domain/runs/run.ts';
import { isNewer } from '../../domain/runs/timeline.ts';
import { LATEST } from '../../domain/timestamps.ts';
import type { Workspace } from '../../domain/workspace/workspace-record.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys, NOTHING, prefixes, runsAt } from '../dynamodb/keys.ts';
import type { PageOptions } from '../dynamodb/requests.ts';
import { configurationVersionOf, runKeyOf, runOf } from '../items/run-items.ts';

/** Owner of a run or of a configuration version. */
interface Place {
  readonly id: string;
  readonly organization: string;
  readonly workspace: string;
  /** Project of the workspace at the first report. */
  readonly project: string;
  /** Time in the key of a run; absent for runs of earlier releases. */
  readonly at?: number;
}

/** Period in which runs were created, in epoch milliseconds; `before` is exclusive. */
export interface Period {
  readonly from: number;
  readonly before: number;
}

const EVER: Period = { from: 0, before: Number.POSITIVE_INFINITY };
/** Sort key after the keys of all runs whose keys have a time. */
const LAST = `${prefixes.runs}:`;

/** A workspace, as far as its runs depend on it. */
export type RunsOwner = Pick<Workspace, 'id' | 'runCount'>;

/** Opens the reads of runs and configuration versions. */
export const openRunReader = (database: Database) => {
  /** Opens the reads of places by id; undefined if no item has the id. */
  const findPlace = (kind: IdKind, ty: string) => async (id: string) => {
    const item = isId(kind, id) ? await database.get(keys.pointer(id), true) : undefined;
    return item?.['ty'] === ty ? (item as unknown as Place) : undefined;
  };

  const newestFirst = ({ id }: RunsOwner, { from, before }: Period = EVER): PageOptions => ({
    partition: keys.workspace(id).pk,
    from: runsAt(from),
    until: before > LATEST ? LAST : runsAt(before),
    consistent: true,
    descending: true,
  });

  /** Reads all runs, including runs of earlier releases, whose keys are not sorted by time. */
  const readAll = async ({ id }: RunsOwner): Promise<Run[]> => {
    const { pk: partition } = keys.workspace(id);
    const items = await database.query({ partition, beginsWith: prefixes.runs, consistent: true });
    return items.map(runOf).sort((one, other) => (isNewer(one, other) ? -1 : 1));
  };

  return {
    runs: {
      findPlace: findPlace('run', 'run-id'),
      /** Finds a run at the place that `findPlace` returned. Without one it reads an item that does not exist (PERM-21). */
      find: async (place: Place | undefined): Promise<Run | undefined> => {
        const item = await database.get(place === undefined ? NOTHING : runKeyOf({ ...place }), true);
        return item && runOf(item);
      },
      /**
       * Lists the runs of a workspace at some positions, newest first, and counts all of them (RUN-12). It sends a query also
       * where there is no run (PERM-21).
       * @param range positions: `from` is inclusive, `to` is exclusive.
       */
      list: async (
        workspace: RunsOwner,
        { from, to }: { readonly from: number; readonly to: number },
      ): Promise<{ readonly runs: readonly Run[]; readonly total: number }> => {
        const { runCount } = workspace;
        if (runCount === undefined) {
          const all = await readAll(workspace);
          return { runs: all.slice(from, to), total: all.length };
        }
        const limit = from < runCount ? to : 1;
        const runs: Run[] = [];
        for await (const items of database.pages({ ...newestFirst(workspace), limit })) {
          runs.push(...items.map(runOf));
          if (runs.length >= limit) break;
        }
        return { runs: runs.slice(from, to), total: Math.max(runCount, runs.length) };
      },
      /** Reads the runs of a workspace page by page, newest first. @param period only runs that were created in it. */
      pages: async function* (workspace: RunsOwner, period?: Period): AsyncGenerator<readonly Run[]> {
        if (workspace.runCount === undefined) return yield await readAll(workspace);
        for await (const items of database.pages(newestFirst(workspace, period))) yield items.map(runOf);
      },
    },

    configurationVersions: {
      findPlace: findPlace('configurationVersion', 'configuration-version-id'),
      find: async (workspace: string, id: string): Promise<ConfigurationVersion | undefined> => {
        const isWellFormed = isId('configurationVersion', id);
        const item = await database.get(isWellFormed ? keys.configurationVersion(workspace, id) : NOTHING, true);
        return item && configurationVersionOf(item);
      },
    },
  };
};
