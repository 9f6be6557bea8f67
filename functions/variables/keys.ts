import { authorizeOrganization } from '../../shared/access/authorize/organization.ts';
import { readingOf } from '../../shared/access/readable-workspaces.ts';
import { atLeast } from '../../shared/access/rights.ts';
import { isId } from '../../shared/domain/ids.ts';
import type { Operation } from '../../shared/http/operation.ts';
import { cursorLinks, readCursorPage } from '../../shared/jsonapi/pagination.ts';
import { badParameter, readValues } from '../../shared/list-index/query-values.ts';
import { variableKeyResource } from '../../shared/resources/variable-keys/response.ts';
import { type FoundKeys, ROWS, type VariableKeys } from '../../shared/store/variables/variable-keys.ts';
import { selectReadable } from './sets/present.ts';
import { readableRows, type Viewer } from './sets/sets.ts';
import type { VariableDependencies } from './variables.ts';

interface KeyDependencies extends VariableDependencies {
  readonly variableKeys: VariableKeys;
}

type ListedVariable = FoundKeys['variables'][number];

/** Returns the names of the variable sets of variables by their ids; only of those that the caller may read. */
const readSetNames = async (
  dependencies: VariableDependencies,
  viewer: Viewer,
  variables: readonly ListedVariable[],
): Promise<ReadonlyMap<string, string>> => {
  const ids = new Set(variables.flatMap(({ variableSet }) => variableSet ?? []));
  if (ids.size === 0) return new Map();
  const all = await dependencies.variableSets.listRows(viewer.organization.name);
  const wanted = all.filter(({ id }) => ids.has(id));
  const { rows } = await readableRows(dependencies, viewer, wanted);
  return new Map(rows.map(({ id, name }) => [id, name]));
};

const workspacesOf = (variables: readonly ListedVariable[]): readonly string[] => [
  ...new Set(variables.flatMap(({ workspace }) => workspace ?? [])),
];

/**
 * `GET /organizations/:organization_name/variable-keys` (VAR-19): the variables whose keys begin with a text, of the
 * workspaces and variable sets whose variables the caller may read.
 */
export const listVariableKeys: Operation<'variable-keys.list', KeyDependencies> = async (
  { digest, parameters: { organization_name: name }, query, url },
  dependencies,
) => {
  const { store, variableKeys } = dependencies;
  const { size, after } = readCursorPage(query, (text) => isId('variable', text));
  const [text = ''] = readValues(query, 'search[key]');
  const [viewer] = await Promise.all([
    authorizeOrganization(store, digest, { organization: name }),
    store.listIndexes.refresh(name),
  ]);
  const { caller, organization } = viewer;
  let position = after && (await variableKeys.findPosition(name, after));
  if (after !== undefined && position === undefined) {
    throw badParameter('page[after]', 'names a variable that does not exist. Request the first page.');
  }

  const listIndex = await store.listIndexes.open(organization);
  const reading = readingOf(caller, organization, (rights) => atLeast(rights, 'variables', 'read'));
  const candidates: ListedVariable[] = [];
  const names = new Map<string, string>();
  /** Selects one variable more than the page has, and the rows of the workspaces on the page. */
  const select = () => {
    const { rows, ...counts } = selectReadable(listIndex, reading, workspacesOf(candidates));
    const readable = new Set(rows.map(({ id }) => id));
    const variables = candidates
      .filter(({ workspace, variableSet }) =>
        workspace === undefined ? names.has(variableSet) : readable.has(workspace),
      )
      .slice(0, size + 1);
    const onPage = new Set(workspacesOf(variables.slice(0, size)));
    return { ...counts, variables, rows: rows.filter(({ id }) => onPage.has(id)) };
  };

  let last: ListedVariable | undefined;
  // The second read is needed only if the first one had variables that the caller may not read.
  for (const limit of [size + 1, ROWS - size - 1]) {
    const found = await variableKeys.find(name, text, position, limit);
    const [setNames] = await Promise.all([
      readSetNames(dependencies, viewer, found.variables),
      store.workspacePages.acquaint(listIndex, name, workspacesOf(found.variables)),
    ]);
    for (const [id, setName] of setNames) names.set(id, setName);
    candidates.push(...found.variables);
    last = found.next;
    position = last?.position;
    if (last === undefined || select().variables.length > size) break;
  }

  let selected = select();
  const choose = () => {
    selected = select();
    return selected;
  };
  const { workspaces } = await store.workspacePages.read(listIndex, choose, !reading.everything);
  for (const workspace of workspaces) names.set(workspace.id, workspace.name);
  const shown = selected.variables.slice(0, size);
  const next = selected.variables.length > size ? shown.at(-1) : last;
  return {
    data: shown.map((variable) =>
      variableKeyResource(variable, names.get(variable.workspace ?? variable.variableSet) ?? ''),
    ),
    ...cursorLinks(next?.id, url, query),
  };
};
