import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { BulkJob, BulkJobItem } from '../../../../../shared/client/bulk-jobs.ts';
import { type Change, isPlainObject, withoutRepetitions } from '../../../../../shared/client/compare.ts';
import { bulkJobItemsQuery } from '../../api/bulk-jobs.ts';
import { projectsQuery } from '../../api/organizations.ts';
import { queryKeyOf } from '../../api/query-client.ts';
import { useMemberNames } from '../../api/use-member-names.ts';
import { Badge } from '../../components/badge.tsx';
import { Changes } from '../../components/changes.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Icon } from '../../components/icon.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { NextPages } from '../../components/next-pages.tsx';
import { QuickFilter } from '../../components/quick-filter.tsx';
import { toVisible } from '../../components/visible-text.tsx';
import {
  errorInWords,
  isFailure,
  isPreview,
  type OutcomeGroup,
  outcomeGroups,
  outcomes,
  previewOutcomes,
  warnings,
} from '../../lib/bulk-jobs.ts';
import './bulk-job-items.css';

const route = getRouteApi('/signed-in/$organization/bulk-jobs/$id');

/** Returns the filters of the items: one for each outcome that there is, and one for warnings before anything is changed. */
const choicesOf = ({ attributes }: BulkJob): readonly OutcomeGroup[] => {
  const count = attributes['preview-counts'].warned;
  const warned = { name: 'warned', label: 'with warnings', count, filter: { warned: true } };
  return [...outcomeGroups(attributes), ...(isPreview(attributes) && count > 0 ? [warned] : [])];
};

/** Shows the workspaces of a bulk job with what would change, or what has become of them. The filter is in the URL. */
export const BulkJobItems = ({ organization, job }: { readonly organization: string; readonly job: BulkJob }) => {
  const { show } = route.useSearch();
  const navigate = route.useNavigate();
  const queryClient = useQueryClient();
  const choices = choicesOf(job);
  const chosen = choices.find(({ name }) => name === show);
  const items = useInfiniteQuery(bulkJobItemsQuery(job.id, chosen?.filter ?? {}));
  const names = useNames(organization, items.data?.pages.flatMap(({ data }) => data) ?? []);
  const results = JSON.stringify(job.attributes['outcome-counts']);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the items change with the counters
  useEffect(() => {
    void queryClient.invalidateQueries({ queryKey: queryKeyOf(`/bulk-jobs/${job.id}/items`) });
  }, [results, job.id, queryClient]);
  return (
    <section className="stack" aria-label="Workspaces of the bulk job">
      <fieldset className="cluster" aria-label="Filters">
        {choices.map(({ name, label, count }) => (
          <QuickFilter
            key={name}
            label={label}
            count={count}
            isOn={name === chosen?.name}
            onToggle={(isOn) => navigate({ search: isOn ? { show: name } : {}, replace: true })}
          />
        ))}
      </fieldset>
      <Loaded query={items}>
        {({ pages }) => (
          <DataTable
            label="Workspaces"
            rows={pages.flatMap(({ data }) => data).toSorted(byOutcome)}
            rowKey={({ id }) => id}
            columns={[
              { name: 'Workspace', cell: (item) => <WorkspaceLink organization={organization} item={item} /> },
              {
                name: isPreview(job.attributes) ? 'Preview' : 'Outcome',
                cell: (item) => <Outcome job={job} item={item} />,
              },
              { name: 'Changes', cell: (item) => <Details item={item} names={names} /> },
            ]}
          />
        )}
      </Loaded>
      <NextPages key={chosen?.name} query={items} label="Show more workspaces" />
    </section>
  );
};

const rankOf = ({ attributes }: BulkJobItem): number =>
  isFailure(attributes) ? 0 : attributes['preview-outcome'] === 'unchanged' ? 2 : 1;

/** Sorts failures first, and what needs no change last, among what is loaded. */
const byOutcome = (a: BulkJobItem, b: BulkJobItem): number => rankOf(a) - rankOf(b);

const WorkspaceLink = ({ organization, item }: { readonly organization: string; readonly item: BulkJobItem }) => {
  const { id } = item.relationships.workspace.data;
  const name = item.attributes['workspace-name'];
  if (name === null) return <code>{id}</code>;
  return (
    <Link to="/$organization/workspace-ids/$id" params={{ organization, id }}>
      {toVisible(name)}
    </Link>
  );
};

const Outcome = ({ job, item: { attributes } }: { readonly job: BulkJob; readonly item: BulkJobItem }) => {
  const preview = attributes['preview-outcome'];
  const { kind, label } =
    isPreview(job.attributes) && preview !== null ? previewOutcomes[preview] : outcomes[attributes.outcome];
  return <Badge kind={kind}>{label}</Badge>;
};

type Names = ReadonlyMap<string, string>;

/** Returns the names of the resources in the changes of items by their ids. */
const useNames = (organization: string, items: readonly BulkJobItem[]): Names => {
  const text = JSON.stringify(items.map(({ attributes }) => attributes.changes));
  const members = useMemberNames(organization, text.includes('"users"'));
  const projects = useQuery({ ...projectsQuery(organization), enabled: text.includes('"projects"') });
  return new Map([
    ...members,
    ...(projects.data?.document.data ?? []).map(({ id, attributes }) => [id, attributes.name] as const),
    ...items.flatMap(({ attributes: { 'workspace-name': name }, relationships: { workspace } }) =>
      name === null ? [] : [[workspace.data.id, name] as const],
    ),
  ]);
};

/** Replaces identifiers of resources by their names. */
const withNames = (value: unknown, names: Names): unknown => {
  if (Array.isArray(value)) return value.map((one) => withNames(one, names));
  const { id, type } = isPlainObject(value) ? value : {};
  return typeof id === 'string' && typeof type === 'string' ? (names.get(id) ?? id) : value;
};

/** Shows what would change or has changed in a workspace, why it could not, and what to look at before. */
const Details = ({ item: { attributes }, names }: { readonly item: BulkJobItem; readonly names: Names }) => {
  const { changes, outcome } = attributes;
  const error = errorInWords(attributes);
  if (error !== undefined) return toVisible(error);
  const changed = Object.entries(changes as Readonly<Record<string, Omit<Change, 'name'>>>);
  return (
    <>
      <Changes
        changes={withoutRepetitions(
          changed.map(([name, change]) => ({
            name,
            old: withNames(change.old, names),
            new: withNames(change.new, names),
          })),
        )}
      />
      {outcome === 'pending' &&
        attributes.warnings.map((warning) => (
          <p key={warning} className="item-warning">
            <Icon name="warning" /> {warnings[warning]}
          </p>
        ))}
    </>
  );
};
