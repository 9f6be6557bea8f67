import { type BulkSelection, toNestedQuery } from '../../../shared/client/bulk-jobs.ts';
import { usageError } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { type Parameter, texts } from '../parameters.ts';
import { filterFlags, toListQuery } from './workspace-list.ts';
import { workspaceArguments } from './workspace-rows.ts';

/** Most workspaces that a job can name; a filter can select more (JOB-2). */
const MOST_NAMES = 1_000;

type Filters = Parameters<typeof toListQuery>[1];

const names = Object.keys(filterFlags);

/** Names of workspaces, which `--filter` can replace. */
export const selectedWorkspaces: Parameter<readonly string[] | undefined> = {
  ...workspaceArguments,
  fallback: undefined,
  isOptional: true,
};

/** The flag that selects workspaces as their list does. */
export const selectionFlag = {
  filter: texts(
    `In place of names, all workspaces that "ws list" lists with this flag. NAME is one of ${names.join(', ')}.`,
    'NAME=VALUE',
  ),
};

/** Reads filters as the flags of the list. @throws Failure `usage` */
const readFilters = (given: readonly string[]): Filters => {
  const values: Record<string, unknown> = Object.fromEntries(
    Object.entries(filterFlags).map(([name, { fallback }]) => [name, fallback]),
  );
  for (const one of given) {
    const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(one) ?? [];
    const parameter: Parameter<unknown> | undefined = names.includes(name)
      ? filterFlags[name as keyof typeof filterFlags]
      : undefined;
    if (parameter === undefined) {
      throw usageError(`"${one}" is not a filter.`, `Write NAME=VALUE. The names are ${names.join(', ')}.`);
    }
    const parsed = parameter.parse(value);
    if (parameter.isRepeated) values[name] = [...(values[name] as readonly unknown[]), ...(parsed as unknown[])];
    else if (values[name] === undefined) values[name] = parsed;
    else throw usageError(`The filter ${name} can be given once.`);
  }
  return values as unknown as Filters;
};

/** The workspaces that the user selects, and their organization. */
export interface Selected {
  readonly organization: string;
  readonly selection: BulkSelection;
}

/** Finds the workspace of an argument. */
type Find = (argument: string) => Promise<{ readonly id: string; readonly organization: string }>;

/** Selects named workspaces. All of them are found before anything is changed. */
export const selectByName = async (given: readonly string[], find: Find): Promise<Selected | undefined> => {
  if (given.length > MOST_NAMES) {
    throw usageError(`${given.length} workspaces are too many to be named.`, 'Select them with --filter.');
  }
  const found = [];
  for (const argument of given) found.push(await find(argument));
  const [organization, other] = new Set(found.map((workspace) => workspace.organization));
  if (organization === undefined) return undefined;
  if (other !== undefined) throw usageError(`The workspaces are of several organizations: ${organization}, ${other}.`);
  return { organization, selection: { ids: found.map(({ id }) => id) } };
};

/** Selects the workspaces that filters of their list match. */
export const selectByFilter = async (invocation: Invocation, given: readonly string[]): Promise<Selected> => {
  const filters = readFilters(given);
  const organization = await invocation.organization();
  const { query, isComplete } = await toListQuery(invocation, filters, organization);
  if (!isComplete)
    throw usageError('The filter locked-by takes an id here.', '"ws list --json=locked-by-id" lists ids.');
  return { organization, selection: { filter: toNestedQuery(query) } };
};

/** Requires either names or filters. @throws Failure `usage` */
export const requireOneSelection = (given: readonly string[] | undefined, filters: readonly string[]): void => {
  if (given !== undefined && filters.length > 0) throw usageError('Names and --filter exclude each other.');
  if (given === undefined && filters.length === 0) throw usageError('Name workspaces, or select them with --filter.');
};
