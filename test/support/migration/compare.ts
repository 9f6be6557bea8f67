import { createHash } from 'node:crypto';
import type { JsonApi } from './json-api.ts';

/** An organization of a server. */
export interface Place {
  readonly api: JsonApi;
  readonly organization: string;
}

/** A state version, as a server lists it and as its bytes say. */
export interface StateFacts {
  readonly serial: number;
  readonly lineage: string;
  readonly sha256: string;
}

/** Returns the names of all workspaces, sorted. */
export const listWorkspaces = async ({ api, organization }: Place): Promise<readonly string[]> =>
  (await api.list(`/organizations/${organization}/workspaces`)).map(({ attributes }) => attributes.name).sort();

/** Reads the whole history of a workspace, the oldest version first, with the bytes of each. */
export const readHistory = async ({ api, organization }: Place, workspace: string): Promise<readonly StateFacts[]> => {
  const filter = `filter[organization][name]=${organization}&filter[workspace][name]=${workspace}`;
  const versions = await api.list(`/state-versions?${filter}`);
  const history: StateFacts[] = [];
  for (const { attributes } of versions.toReversed()) {
    const content = await api.download(attributes['hosted-state-download-url']);
    const { serial, lineage } = JSON.parse(content.toString());
    history.push({ serial, lineage, sha256: createHash('sha256').update(content).digest('hex') });
  }
  return history;
};

/** Reads the history of every workspace. */
export const readHistories = async (place: Place): Promise<Readonly<Record<string, readonly StateFacts[]>>> => {
  const histories: Record<string, readonly StateFacts[]> = {};
  for (const name of await listWorkspaces(place)) histories[name] = await readHistory(place, name);
  return histories;
};

/** Reads the variables of a workspace, sorted. The value of a sensitive one is null. */
export const readVariables = async ({ api, organization }: Place, workspace: string): Promise<readonly object[]> => {
  const { data } = await api.send('GET', `/organizations/${organization}/workspaces/${workspace}`);
  const variables = await api.list(`/workspaces/${data.id}/vars`);
  return variables
    .map(({ attributes: { key, value, category, sensitive, hcl, description } }) => ({
      ...{
        key,
        category: category === 'infra' ? 'terraform' : category,
        sensitive,
        hcl,
        description: description ?? '',
      },
      value: sensitive ? null : value,
    }))
    .sort((a, b) => (`${a.category} ${a.key}` < `${b.category} ${b.key}` ? -1 : 1));
};

/** Reads the table of objects in a report: the numbers in the inventory and those that were carried, by type. */
export const readReport = (
  report: string,
): Readonly<Record<string, { readonly inventory: number; readonly carried: number }>> => {
  const [, table = ''] = /\n## Objects\n\n((?:\|.*\n)+)/.exec(report) ?? [];
  const rows = table.split('\n').filter((line) => /^\| [a-z-]+ \| \d/.test(line));
  return Object.fromEntries(
    rows.map((line) => {
      const [type = '', inventory, carried] = line.slice(2).split(' | ');
      return [type, { inventory: Number(inventory), carried: Number(carried) }];
    }),
  );
};
