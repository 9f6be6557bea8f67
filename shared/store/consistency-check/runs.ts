import { isDeepStrictEqual } from 'node:util';
import { isId } from '../../domain/ids.ts';
import { configurationStatuses } from '../../domain/runs/configuration-versions.ts';
import { currentMoment, isFinal, runStatuses } from '../../domain/runs/run.ts';
import { computeRunMetrics } from '../../domain/runs/run-metrics.ts';
import type { ItemType } from '../dynamodb/item-schemas.ts';
import { type Item, keys, prefixes } from '../dynamodb/keys.ts';
import { readmeTextOf, runKeyOf, runOf, windowOf } from '../items/run-items.ts';
import type { CommonChecks } from './common-checks.ts';
import { attempt, type Check, type Checks, isCount, isMap, textOf } from './facts.ts';

const runById = ({ at }: Check, id: unknown): Item | undefined => {
  const pointer = at(keys.pointer(textOf(id)));
  return pointer && at(runKeyOf(pointer));
};

/** Opens the check of the references from a workspace to its runs and its configuration version. */
export const checkRunsOfWorkspace =
  (check: Check) =>
  (workspace: Item): void => {
    const { at, count, must } = check;
    const id = textOf(workspace['id']);
    const { run, rs, ra, rn, kpi, cv, rdm, hc } = workspace as Record<string, Item | undefined>;
    if (run === undefined) must(rs === undefined && ra === undefined, 'it has a run status, but no current run');
    else {
      const current = runById(check, run['id']);
      const status: unknown = current && attempt(() => currentMoment(runOf(current)).status);
      const isRight = current !== undefined && status === rs && current['createdAt'] === ra;
      must(isRight, 'its current run does not exist or does not match');
    }
    const isCounted = rn === undefined || Number(rn) === count(keys.workspace(id).pk, prefixes.runs);
    must(isCounted, 'its run count does not match its runs');
    const hasWindow = at(keys.runWindow(id)) !== undefined;
    must((kpi !== undefined) === hasWindow, 'it must have both run metrics and a run window, or neither');
    const version = cv && at(keys.configurationVersion(id, textOf(cv['id'])));
    const isConfigured = cv === undefined || (version !== undefined && Boolean(hc));
    must(isConfigured, 'its configuration version does not exist');
    const shown = rdm && at(keys.readme(id));
    const isShown = rdm?.['configurationVersion'] === shown?.['of'];
    must(isShown, 'its README.md does not exist or is of another configuration version');
  };

type RunItem = Extract<ItemType, `${'run' | 'configuration'}${string}` | 'readme'>;

/** Opens the checks of runs, configuration versions and the items derived from them. */
export const checkRuns = (check: Check, { living, isInProject }: CommonChecks): Checks<RunItem> => {
  const { at, must } = check;
  const hasTimeline = ({ timeline, n, createdAt }: Item, statuses: readonly string[]): void => {
    const reached = isMap(timeline) ? Object.entries(timeline) : [];
    const isValid = reached.every(([status, time]) => statuses.includes(status) && isCount(time));
    must(reached.length > 0 && isValid, 'its timeline is empty or has an unknown status');
    must(isCount(n) && isCount(createdAt), 'its write count or its creation time is missing');
  };
  /** Returns the workspace that the item and its id pointer belong to; undefined if it is deleted. */
  const ledTo = (item: Item): Item | undefined => {
    const workspace = living(item);
    if (workspace === undefined) return undefined;
    const pointer = at(keys.pointer(textOf(item['id'])));
    must(pointer?.['workspace'] === workspace['id'], 'its id pointer does not exist or leads elsewhere');
    return workspace;
  };
  const leads = (pointer: Item, to: Item | undefined): void => {
    isInProject(pointer);
    must(to !== undefined, 'the item that it leads to does not exist');
  };

  return {
    run: (item) => {
      const { id, description, tokens } = item;
      must(isId('run', textOf(id)) && isMap(description), 'its id is invalid or its description is missing');
      must(Array.isArray(tokens), 'its list of tokens is missing');
      hasTimeline(item, runStatuses);
      const workspace = ledTo(item);
      if (workspace === undefined) return;
      must(workspace['run'] !== undefined, 'its workspace has no current run');
      must(runById(check, id)?.['sk'] === item['sk'], 'its id pointer leads to another key');
    },
    configurationVersion: (item) => {
      hasTimeline(item, configurationStatuses);
      const workspace = ledTo(item);
      const isConfigured = workspace === undefined || workspace['hc'] === true;
      must(isConfigured, 'its workspace has no current configuration version');
    },
    readme: (item) => {
      must(attempt(() => readmeTextOf(item)) !== undefined, 'it cannot be decoded');
      living(item);
    },
    'run-window': (item) => {
      const window = attempt(() => windowOf(item));
      must(window !== undefined, 'it cannot be decoded');
      const workspace = living(item);
      if (workspace === undefined || window === undefined) return;
      const isRight = isDeepStrictEqual(workspace['kpi'], computeRunMetrics(window));
      must(isRight, 'it does not match the run metrics of its workspace');
    },
    'run-id': (item) => leads(item, at(runKeyOf(item))),
    'configuration-version-id': (item) =>
      leads(item, at(keys.configurationVersion(textOf(item['workspace']), textOf(item['id'])))),
    'run-token': (item) => {
      const found = runById(check, item['subject']);
      if (found === undefined || found['workspace'] !== item['workspace']) return must(false, 'its run does not exist');
      const isOwn = attempt(() => {
        const run = runOf(found);
        return !isFinal(run) && run.tokens.some((digest) => keys.token(digest).pk === item['pk']);
      });
      must(isOwn === true, 'its run has ended or does not list it');
    },
  };
};
