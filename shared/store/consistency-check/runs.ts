import { isDeepStrictEqual } from 'node:util';
import { isId } from '../../domain/ids.ts';
import { configurationStatuses } from '../../domain/runs/configuration-versions.ts';
import { currentMoment, isFinal, type Run, runStatuses } from '../../domain/runs/run.ts';
import { computeRunMetrics } from '../../domain/runs/run-metrics.ts';
import type { Item } from '../dynamodb/item.ts';
import { type Key, keys, prefixes, timeInRunKey, WORKSPACE } from '../dynamodb/keys.ts';
import { readmeTextOf, runKeyOf, runOf, windowOf } from '../items/run-items.ts';
import type { Lookup } from './lookup.ts';

/** Invariants of runs, configuration versions and the items derived from them. */

const isTime = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;
const isMap = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);

const timelineProblems = ({ timeline, n, createdAt }: Item, life: readonly string[]): string[] => {
  const reached = isMap(timeline) ? Object.entries(timeline) : [];
  const isValid = reached.length > 0 && reached.every(([status, at]) => life.includes(status) && isTime(at));
  return [
    ...(isValid ? [] : ['its timeline is empty or has an unknown status']),
    ...(isTime(n) && isTime(createdAt) ? [] : ['its write count or its creation time is missing']),
  ];
};

/** Returns undefined if the read throws: a damaged item is a finding of its own, not of the items that refer to it. */
const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};
const readable = (read: () => unknown): string[] => (attempt(read) === undefined ? ['it cannot be decoded'] : []);

const placeProblems = ({ organization, workspace, project }: Item): string[] =>
  [organization, workspace, project].every((of) => typeof of === 'string')
    ? []
    : ['it has no organization, workspace or project'];

/** Builders of the expected key, or a part of it, of run items, by item type. */
export const runSpelling: Readonly<Record<string, (item: Item) => Partial<Key>>> = {
  run: ({ sk, workspace, id }) => keys.run(String(workspace), timeInRunKey(String(sk)), String(id)),
  'run-id': ({ id }) => keys.pointer(String(id)),
  'run-window': () => ({ sk: keys.runWindow('').sk }),
  'run-token': () => ({ sk: keys.token('').sk }),
  configurationVersion: ({ workspace, id }) => keys.configurationVersion(String(workspace), String(id)),
  'configuration-version-id': ({ id }) => keys.pointer(String(id)),
  readme: () => ({ sk: keys.readme('').sk }),
};

/** Checks of the attributes of run items, by item type. Each returns the problems that it finds. */
export const runShapes: Readonly<Record<string, (item: Item) => string[]>> = {
  run: (item) => [
    ...(isId('run', String(item['id'])) && isMap(item['description'])
      ? []
      : ['its id is invalid or its description is missing']),
    ...(Array.isArray(item['tokens']) ? [] : ['its list of tokens is missing']),
    ...timelineProblems(item, runStatuses),
  ],
  configurationVersion: (item) => timelineProblems(item, configurationStatuses),
  'run-id': placeProblems,
  'configuration-version-id': placeProblems,
  'run-window': (item) => readable(() => windowOf(item)),
  readme: (item) => readable(() => readmeTextOf(item)),
};

/**
 * Opens the checks of the references between workspaces, runs and configuration versions. `must` records a problem of
 * an item unless `holds`.
 */
export const checkRuns = ({ at, count }: Lookup, must: (item: Item, holds: boolean, problem: string) => void) => {
  const ownerOf = (item: Item): Item | undefined => at({ pk: String(item['pk']), sk: WORKSPACE });
  /** Returns the workspace of an item. If it is deleted, checks that it is queued for cleanup and returns undefined. */
  const living = (item: Item): Item | undefined => {
    const workspace = ownerOf(item);
    must(item, workspace !== undefined, 'its workspace does not exist');
    if (workspace?.['gone'] === undefined) return workspace;
    must(item, workspace['d'] !== undefined, 'its workspace is deleted, but not queued for cleanup');
    return undefined;
  };
  const ledTo = (item: Item): Item | undefined => {
    const workspace = living(item);
    if (workspace === undefined) return undefined;
    const pointer = at(keys.pointer(String(item['id'])));
    must(item, pointer?.['workspace'] === workspace['id'], 'its id pointer does not exist or leads elsewhere');
    return workspace;
  };
  const leadsTo = (keyFrom: (pointer: Item) => Key) => (item: Item) =>
    must(item, at(keyFrom(item)) !== undefined, 'the item that it leads to does not exist');
  const runAt = (id: string): Item | undefined => {
    const pointer = at(keys.pointer(id));
    return pointer && at(runKeyOf(pointer));
  };

  return {
    ofWorkspace: (workspace: Item): void => {
      const id = String(workspace['id']);
      const { run, rs, ra, rn, kpi, cv, rdm, hc } = workspace as Record<string, Item | undefined>;
      if (run === undefined)
        must(workspace, rs === undefined && ra === undefined, 'it has a run status, but no current run');
      else {
        const current = runAt(String(run['id']));
        const status = current && attempt(() => currentMoment(current as unknown as Run).status);
        const isRight = current !== undefined && status === (rs as unknown) && current['createdAt'] === ra;
        must(workspace, isRight, 'its current run does not exist or does not match');
      }
      must(
        workspace,
        rn === undefined || Number(rn) === count(keys.workspace(id).pk, prefixes.runs),
        'its run count does not match its runs',
      );
      must(
        workspace,
        (kpi === undefined) === (at(keys.runWindow(id)) === undefined),
        'it must have both run metrics and a run window, or neither',
      );
      const version = cv && at(keys.configurationVersion(id, String(cv['id'])));
      must(
        workspace,
        cv === undefined || (version !== undefined && Boolean(hc)),
        'its configuration version does not exist',
      );
      const shown = rdm && at(keys.readme(id));
      must(
        workspace,
        rdm?.['configurationVersion'] === shown?.['of'],
        'its README.md does not exist or is of another configuration version',
      );
    },
    checks: {
      run: (item: Item) => {
        const workspace = ledTo(item);
        must(item, workspace === undefined || workspace['run'] !== undefined, 'its workspace has no current run');
        must(
          item,
          workspace === undefined || runAt(String(item['id']))?.['sk'] === item['sk'],
          'its id pointer leads to another key',
        );
      },
      configurationVersion: (item: Item) => {
        const workspace = ledTo(item);
        must(
          item,
          workspace === undefined || workspace['hc'] === true,
          'its workspace has no current configuration version',
        );
      },
      readme: (item: Item) => void living(item),
      'run-window': (item: Item) => {
        const workspace = living(item);
        if (workspace === undefined) return;
        const window = attempt(() => windowOf(item));
        const isRight = window === undefined || isDeepStrictEqual(workspace['kpi'], computeRunMetrics(window));
        must(item, isRight, 'it does not match the run metrics of its workspace');
      },
      'run-id': leadsTo(runKeyOf),
      'configuration-version-id': leadsTo(({ workspace, id }) =>
        keys.configurationVersion(String(workspace), String(id)),
      ),
      'run-token': (item: Item) => {
        const found = runAt(String(item['subject']));
        if (found === undefined || found['workspace'] !== item['workspace'])
          return must(item, false, 'its run does not exist');
        const isOwn = attempt(() => {
          const run = runOf(found);
          return !isFinal(run) && run.tokens.some((digest) => keys.token(digest).pk === item['pk']);
        });
        must(item, isOwn === true, 'its run has ended or does not list it');
      },
    },
  };
};
