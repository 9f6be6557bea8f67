import type { IdKind } from '../../domain/ids.ts';
import { isId } from '../../domain/ids.ts';
import type { ConfigurationVersion } from '../../domain/runs/configuration-versions.ts';
import type { Run } from '../../domain/runs/run.ts';
import { isNewer } from '../../domain/runs/timeline.ts';
import type { Database } from '../dynamodb/database.ts';
import { keys, prefixes } from '../dynamodb/keys.ts';
import { configurationVersionOf, runOf } from '../items/run-items.ts';

/** Owner of a run or of a configuration version. */
interface Place {
  readonly organization: string;
  readonly workspace: string;
  /** Project of the workspace at the first report. */
  readonly project: string;
}

export interface RunReader {
  /** Returns undefined if no item has the id. */
  readonly findRunPlace: (id: string) => Promise<Place | undefined>;
  readonly findConfigurationVersionPlace: (id: string) => Promise<Place | undefined>;
  readonly findRun: (workspace: string, id: string) => Promise<Run | undefined>;
  readonly findConfigurationVersion: (workspace: string, id: string) => Promise<ConfigurationVersion | undefined>;
  /** Returns all runs of a workspace, newest first. */
  readonly listRuns: (workspace: string) => Promise<readonly Run[]>;
}

/** Opens the reads of runs and configuration versions. */
export const openRunReader = (database: Database): RunReader => {
  const findPlace = (kind: IdKind, ty: string) => async (id: string) => {
    const item = isId(kind, id) ? await database.get(keys.pointer(id), true) : undefined;
    return item?.['ty'] === ty ? (item as unknown as Place) : undefined;
  };

  return {
    findRunPlace: findPlace('run', 'run-id'),
    findConfigurationVersionPlace: findPlace('configurationVersion', 'configuration-version-id'),

    findRun: async (workspace, id) => {
      const item = await database.get(keys.run(workspace, id), true);
      return item && runOf(item);
    },

    findConfigurationVersion: async (workspace, id) => {
      const item = await database.get(keys.configurationVersion(workspace, id), true);
      return item && configurationVersionOf(item);
    },

    listRuns: async (workspace) => {
      const { pk: partition } = keys.workspace(workspace);
      const items = await database.query({ partition, beginsWith: prefixes.runs, consistent: true });
      return items.map(runOf).sort((one, other) => (isNewer(one, other) ? -1 : 1));
    },
  };
};
