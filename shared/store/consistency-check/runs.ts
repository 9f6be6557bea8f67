import { isDeepStrictEqual } from 'node:util';
import { isId } from '../../domain/ids.ts';
import { configurationStatuses } from '../../domain/runs/configuration-versions.ts';
import { currentMoment, isFinal, type Run, runStatuses } from '../../domain/runs/run.ts';
import { computeRunMetrics } from '../../domain/runs/run-metrics.ts';
import type { Item } from '../dynamodb/item.ts';
import { type Key, keys, WORKSPACE } from '../dynamodb/keys.ts';
import { readmeTextOf, runOf, windowOf } from '../runs/run-items.ts';

/** What must be so of runs, configuration versions and what follows from them: by themselves, and between them. */

const isTime = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;
const isMap = (value: unknown): value is Item => typeof value === 'object' && value !== null && !Array.isArray(value);

const timelineProblems = ({ timeline, n, createdAt }: Item, life: readonly string[]): string[] => {
  const reached = isMap(timeline) ? Object.entries(timeline) : [];
  const isWhole = reached.length > 0 && reached.every(([status, at]) => life.includes(status) && isTime(at));
  return [
    ...(isWhole ? [] : ['its timeline is empty, or has a status that there is not']),
    ...(isTime(n) && isTime(createdAt) ? [] : ['it does not count its writes, or has no time']),
  ];
};

/** What is damaged may not be readable at all: that is a finding of the item itself, not of what is held against it. */
const attempt = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};
const readable = (read: () => unknown): string[] => (attempt(read) === undefined ? ['it cannot be unpacked'] : []);

const placeProblems = ({ organization, workspace, project }: Item): string[] =>
  [organization, workspace, project].every((of) => typeof of === 'string') ? [] : ['it does not say whose it is'];

export const runSpelling: Readonly<Record<string, (item: Item) => Partial<Key>>> = {
  run: ({ workspace, id }) => keys.run(String(workspace), String(id)),
  'run-id': ({ id }) => keys.pointer(String(id)),
  'run-window': () => ({ sk: keys.runWindow('').sk }),
  'run-token': () => ({ sk: keys.token('').sk }),
  configurationVersion: ({ workspace, id }) => keys.configurationVersion(String(workspace), String(id)),
  'configuration-version-id': ({ id }) => keys.pointer(String(id)),
  readme: () => ({ sk: keys.readme('').sk }),
};

export const runShapes: Readonly<Record<string, (item: Item) => string[]>> = {
  run: (item) => [
    ...(isId('run', String(item['id'])) && isMap(item['description']) ? [] : ['it has no id, or no description']),
    ...(Array.isArray(item['tokens']) ? [] : ['it does not say which tokens it has']),
    ...timelineProblems(item, runStatuses),
  ],
  configurationVersion: (item) => timelineProblems(item, configurationStatuses),
  'run-id': placeProblems,
  'configuration-version-id': placeProblems,
  'run-window': (item) => readable(() => windowOf(item)),
  readme: (item) => readable(() => readmeTextOf(item)),
};

const pick = (item: Item, names: readonly string[]): Item =>
  Object.fromEntries(['pk', 'sk', 'ty', ...names].map((name) => [name, item[name]]));

/** The part of such an item that others are held against; undefined for items of other types. */
export const runFacts = (item: Item): Item | undefined => {
  switch (item['ty']) {
    case 'run':
      return pick(item, ['id', 'workspace', 'createdAt', 'timeline', 'tokens']);
    case 'configurationVersion':
      return pick(item, ['id', 'workspace']);
    case 'readme':
      return pick(item, ['of']);
    default:
      return undefined;
  }
};

export const checkRuns = (
  at: (key: Key) => Item | undefined,
  must: (item: Item, holds: boolean, problem: string) => void,
) => {
  const ownerOf = (item: Item): Item | undefined => at({ pk: String(item['pk']), sk: WORKSPACE });
  /** The living workspace that an item hangs on; what hangs on a deleted one is to be cleaned up. */
  const living = (item: Item): Item | undefined => {
    const workspace = ownerOf(item);
    must(item, workspace !== undefined, 'its workspace is not there');
    if (workspace?.['gone'] === undefined) return workspace;
    must(item, workspace['d'] !== undefined, 'its workspace is deleted, and nothing would delete it');
    return undefined;
  };
  const ledTo = (item: Item): Item | undefined => {
    const workspace = living(item);
    if (workspace === undefined) return undefined;
    const pointer = at(keys.pointer(String(item['id'])));
    must(item, pointer?.['workspace'] === workspace['id'], 'its id leads nowhere, or elsewhere');
    return workspace;
  };
  const leadsTo = (keyOf: (workspace: string, id: string) => Key) => (item: Item) => {
    const found = at(keyOf(String(item['workspace']), String(item['id'])));
    must(item, found !== undefined, 'what it leads to is not there');
  };

  return {
    ofWorkspace: (workspace: Item): void => {
      const id = String(workspace['id']);
      const { run, rs, ra, kpi, cv, rdm, hc } = workspace as Record<string, Item | undefined>;
      if (run === undefined) must(workspace, rs === undefined && ra === undefined, 'it has a status of no run');
      else {
        const current = at(keys.run(id, String(run['id'])));
        const status = current && attempt(() => currentMoment(current as unknown as Run).status);
        const isRight = current !== undefined && status === (rs as unknown) && current['createdAt'] === ra;
        must(workspace, isRight, 'its current run is not there, or another than it says');
      }
      must(workspace, (kpi === undefined) === (at(keys.runWindow(id)) === undefined), 'it has figures of no runs');
      const version = cv && at(keys.configurationVersion(id, String(cv['id'])));
      must(workspace, cv === undefined || (version !== undefined && Boolean(hc)), 'its configuration is not there');
      const shown = rdm && at(keys.readme(id));
      must(workspace, rdm?.['configurationVersion'] === shown?.['of'], 'its README.md is not there, or another');
    },
    checks: {
      run: (item: Item) => {
        const workspace = ledTo(item);
        must(item, workspace === undefined || workspace['run'] !== undefined, 'its workspace knows of no run');
      },
      configurationVersion: (item: Item) => {
        const workspace = ledTo(item);
        must(item, workspace === undefined || workspace['hc'] === true, 'its workspace knows of no configuration');
      },
      readme: (item: Item) => void living(item),
      'run-window': (item: Item) => {
        const workspace = living(item);
        if (workspace === undefined) return;
        const window = attempt(() => windowOf(item));
        const isRight = window === undefined || isDeepStrictEqual(workspace['kpi'], computeRunMetrics(window));
        must(item, isRight, 'the figures of its workspace are others');
      },
      'run-id': leadsTo(keys.run),
      'configuration-version-id': leadsTo(keys.configurationVersion),
      'run-token': (item: Item) => {
        const found = at(keys.run(String(item['workspace']), String(item['subject'])));
        if (found === undefined) return must(item, false, 'its run is not there');
        const isOwn = attempt(() => {
          const run = runOf(found);
          return !isFinal(run) && run.tokens.some((digest) => keys.token(digest).pk === item['pk']);
        });
        must(item, isOwn === true, 'its run does not know of it, or has ended');
      },
    },
  };
};
