import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Schemas } from '../../../../../shared/client/types.ts';
import { findVariables } from '../../../../../shared/client/variables.ts';
import { variableKeysQuery } from '../../api/variables.ts';
import { Button } from '../../components/button.tsx';
import { type AttributeColumns, DataTable, toColumns } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { ListMenu } from '../../components/list-menu.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NextPages } from '../../components/next-pages.tsx';
import { Count, Page } from '../../components/page.tsx';
import { ResourceLink } from '../../components/resource-link.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import { useDebounced } from '../../lib/use-debounced.ts';
import { categoryLabel } from '../../lib/words.ts';

const route = getRouteApi('/signed-in/$organization/variables');

/** Columns of the file. A workspace and a variable set can have one name. */
const fileColumns = {
  key: 'Key',
  'owner-name': 'Workspace or variable set',
  category: 'Category',
  workspace: 'Workspace ID',
  varset: 'Variable set ID',
};

/** Lists the variables of all workspaces and variable sets by their keys. */
export const VariableKeysPage = () => {
  const { organization } = route.useParams();
  const { key = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const search = (text: string) => navigate({ search: text === '' ? {} : { key: text }, replace: true });
  const settled = useDebounced(key.trim());
  const variables = useInfiniteQuery(variableKeysQuery(organization, settled));
  const found = variables.data?.pages.flatMap(({ data }) => data) ?? [];
  const columns: AttributeColumns<Schemas['VariableKey']> = {
    key: { cell: ({ attributes }) => <code>{toVisible(attributes.key)}</code> },
    'owner-name': {
      name: 'Workspace or variable set',
      cell: ({ attributes: { 'owner-name': name }, relationships: { varset } }) =>
        varset.data === null ? (
          <Link to="/$organization/workspaces/$workspace/variables" params={{ organization, workspace: name }}>
            {toVisible(name)}
          </Link>
        ) : (
          <>
            <ResourceLink type="varsets" id={varset.data.id} name={name} />
            <div className="muted">variable set</div>
          </>
        ),
    },
    category: { cell: ({ attributes }) => categoryLabel(attributes.category) },
  };
  return (
    <Page
      title="Variables"
      // The service returns no total: it is known when all pages are loaded.
      aside={<Count total={variables.hasNextPage ? undefined : found.length} />}
      actions={<ListMenu title="Variables" request={findVariables(organization, settled, 100)} columns={fileColumns} />}
    >
      <p className="muted">
        All workspaces and variable sets whose variables you may read, found by the beginning of the key.
      </p>
      <div className="cluster">
        <SearchField label="Beginning of the key" placeholder="Beginning of the key" value={key} onChange={search} />
      </div>
      <Loaded query={variables}>
        {() => (
          <>
            {found.length === 0 && !variables.hasNextPage && (
              <EmptyState
                title={settled === '' ? 'There are no variables yet' : `No key begins with “${settled}”`}
                action={settled !== '' && <Button onClick={() => search('')}>Clear the search</Button>}
              />
            )}
            {found.length > 0 && (
              <DataTable label="Variables" rows={found} rowKey={({ id }) => id} columns={toColumns(columns)} />
            )}
            <NextPages key={settled} query={variables} label="Show more variables" />
          </>
        )}
      </Loaded>
    </Page>
  );
};
