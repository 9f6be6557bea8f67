import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ListedResource } from '../../../../../../shared/client/compare-states.ts';
import { Badge } from '../../../components/badge.tsx';
import { CopyButton } from '../../../components/copy-button.tsx';
import { EmptyState } from '../../../components/empty-state.tsx';
import { QuickFilter } from '../../../components/quick-filter.tsx';
import { SearchField } from '../../../components/search-field.tsx';
import { toVisible } from '../../../components/visible-text.tsx';
import { formatCount } from '../../../lib/words.ts';
import { useWorkspace } from '../use-workspace.ts';
import './state-resources.css';
import { useShown } from './use-shown.tsx';
import { type ResourceSearch, ROOT_MODULE } from './version-parts.tsx';

const route = getRouteApi('/signed-in/$organization/workspaces/$workspace/state/$version');

const groupings = { module: 'Group by module', type: 'Group by type', provider: 'Group by provider' } as const;

type Grouping = keyof typeof groupings;

const isGrouping = (value: string | undefined): value is Grouping => value !== undefined && value in groupings;

/** Largest number of resources whose groups are open at first. Of more, the groups give an overview. */
const OPENED = 30;

const isIn = (module: string, chosen: string): boolean =>
  chosen === ROOT_MODULE
    ? module === ''
    : module === chosen || module.startsWith(`${chosen}.`) || module.startsWith(`${chosen}[`);

const isData = ({ type }: ListedResource): boolean => type.startsWith('data.');

/** Counts managed resources, and data sources apart: the number of resources of a state version is without them. */
const countResources = (resources: readonly ListedResource[]): string => {
  const data = resources.filter(isData).length;
  const managed = formatCount(resources.length - data, 'resource');
  return data === 0 ? managed : `${managed} and ${formatCount(data, 'data source')}`;
};

interface ResourcesProps {
  readonly resources: readonly ListedResource[];
}

interface ResourceListProps extends ResourcesProps {
  readonly search: ResourceSearch;
  readonly onChange: (search: ResourceSearch) => void;
}

/** Attributes by which people know a resource from the consoles and logs of its provider. */
const identifying = ['id', 'arn'];

/** Checks whether the address or an id of a resource contains a text in lower case. */
const isFound = ({ address, attributes }: ListedResource, part: string): boolean =>
  address.toLowerCase().includes(part) ||
  attributes.some(({ name, new: value }) => identifying.includes(name) && value?.toLowerCase().includes(part) === true);

/** Lists the resources of a state, with a search by address and id, and groups them by module, type or provider. */
export const Resources = ({ resources, search, onChange }: ResourceListProps) => {
  const { search: text = '', type, module, group } = search;
  const found = useMemo(() => {
    const part = text.trim().toLowerCase();
    return resources.filter(
      (resource) =>
        isFound(resource, part) &&
        (type === undefined || resource.type === type) &&
        (module === undefined || isIn(resource.module, module)),
    );
  }, [resources, text, type, module]);
  if (resources.length === 0) return <p className="muted">The state has no resources.</p>;
  const providers = new Set(resources.map(({ provider }) => provider));
  const grouping = isGrouping(group) ? group : undefined;
  return (
    <>
      <div className="cluster">
        <SearchField
          label="Search resources"
          placeholder="Part of an address or id"
          value={text}
          onChange={(value) => onChange({ ...search, search: value })}
        />
        {(['type', 'module'] as const).map((name) => {
          const value = search[name];
          return (
            value !== undefined && (
              <QuickFilter
                key={name}
                label={value === ROOT_MODULE ? 'Root module' : value}
                isOn
                onToggle={() => onChange({ ...search, [name]: '' })}
              />
            )
          );
        })}
        {(Object.keys(groupings) as Grouping[])
          .filter((name) => name !== 'provider' || providers.size > 1)
          .map((name) => (
            <QuickFilter
              key={name}
              label={groupings[name]}
              isOn={name === grouping}
              onToggle={(isOn) => onChange({ ...search, group: isOn ? name : '' })}
            />
          ))}
      </div>
      {found.length === 0 ? (
        <EmptyState title="No resource matches" />
      ) : grouping === undefined ? (
        <>
          <p role="status" className="muted">
            {countResources(found)}
          </p>
          <Rows resources={found} />
        </>
      ) : (
        <Groups key={grouping} resources={found} grouping={grouping} />
      )}
    </>
  );
};

const Rows = ({ resources }: ResourcesProps) => {
  const { shown, more } = useShown(resources);
  return (
    <>
      <ul className="resources">
        {shown.map((resource) => (
          // A search that finds one resource shows it.
          <li key={`${resources.length === 1} ${resource.address}`}>
            <Resource resource={resource} isOpenAtFirst={resources.length === 1} />
          </li>
        ))}
      </ul>
      {more}
    </>
  );
};

interface ResourceProps {
  readonly resource: ListedResource;
  readonly isOpenAtFirst: boolean;
}

/** Shows the address of a resource, which opens to its attributes. */
const Resource = ({ resource: { address, attributes, provider }, isOpenAtFirst }: ResourceProps) => {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        <code>{toVisible(address)}</code>
      </summary>
      {isOpen && (
        <ul className="changes">
          {attributes.map(({ name, new: value }) => (
            <li key={name}>
              <code className="changes-name">{toVisible(name)}</code>{' '}
              {value === undefined ? (
                <span>
                  <Badge>sensitive</Badge>
                </span>
              ) : (
                <code>{toVisible(value)}</code>
              )}
            </li>
          ))}
          <li>
            <span className="changes-name">Provider</span> <span>{toVisible(provider)}</span>
          </li>
          <li>
            <span className="changes-name">Link</span>{' '}
            <span>
              <ResourceCopy address={address} />
            </span>
          </li>
        </ul>
      )}
    </details>
  );
};

/** Copies the address of the page that shows a resource in exactly the shown version. */
const ResourceCopy = ({ address }: { readonly address: string }) => {
  const { organization, name, workspace } = useWorkspace();
  const { version } = route.useParams();
  const current = workspace.relationships['current-state-version'].data?.id;
  const { href } = useRouter().buildLocation({
    to: '/$organization/workspaces/$workspace/state/$version',
    params: { organization, workspace: name, version: version === 'current' && current ? current : version },
    search: { search: address },
  });
  return <CopyButton text={window.location.origin + href} subject={`link to ${address}`} />;
};

const Groups = ({ resources, grouping }: ResourcesProps & { readonly grouping: Grouping }) => {
  const groups = useMemo(
    () => [...Map.groupBy(resources, (resource) => resource[grouping])].sort(([a], [b]) => a.localeCompare(b, 'en')),
    [resources, grouping],
  );
  const { shown, more } = useShown(groups);
  const areOpenAtFirst = resources.length <= OPENED;
  return (
    <>
      <p role="status" className="muted">
        {countResources(resources)} in {formatCount(groups.length, grouping)}
      </p>
      <ul className="resources">
        {shown.map(([name, members]) => (
          <li key={`${areOpenAtFirst} ${name}`}>
            <Group name={name} resources={members} isOpenAtFirst={areOpenAtFirst} />
          </li>
        ))}
      </ul>
      {more}
    </>
  );
};

interface GroupProps extends ResourcesProps {
  readonly name: string;
  readonly isOpenAtFirst: boolean;
}

const Group = ({ name, resources, isOpenAtFirst }: GroupProps) => {
  const [isOpen, setOpen] = useState(isOpenAtFirst);
  return (
    <details open={isOpen} onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        {name === '' ? 'Root module' : <code>{toVisible(name)}</code>}{' '}
        <span className="muted">{countResources(resources)}</span>
      </summary>
      {isOpen && <Rows resources={resources} />}
    </details>
  );
};
