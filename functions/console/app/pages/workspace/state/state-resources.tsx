import { useMemo, useState } from 'react';
import type { ListedResource } from '../../../../../../shared/client/compare-states.ts';
import { SelectField, TextField, toOptions } from '../../../components/form.tsx';
import { toVisible } from '../../../components/visible-text.tsx';
import { formatCount } from '../../../lib/words.ts';
import { useShown } from './use-shown.tsx';

const groupings = { none: 'Nothing', module: 'Module', type: 'Type' };

type Grouping = keyof typeof groupings;

/** Largest number of resources whose groups are open at first. Of more, the groups give an overview. */
const OPENED = 30;

interface ResourcesProps {
  readonly resources: readonly ListedResource[];
}

/** Lists the resources of a state, with a search by address, and groups them by module or type. */
export const Resources = ({ resources }: ResourcesProps) => {
  const [search, setSearch] = useState('');
  const [grouping, setGrouping] = useState<Grouping>('none');
  const found = useMemo(() => {
    const text = search.trim().toLowerCase();
    return resources.filter(({ address }) => address.toLowerCase().includes(text));
  }, [resources, search]);
  return (
    <>
      {resources.length > 0 && (
        <div className="state-search">
          <TextField
            name="search"
            label="Search"
            placeholder="Part of an address"
            value={search}
            onChange={setSearch}
          />
          <SelectField
            name="grouping"
            label="Group by"
            value={grouping}
            onChange={setGrouping}
            options={toOptions(groupings)}
          />
        </div>
      )}
      {grouping === 'none' ? (
        <>
          <p role="status">{formatCount(found.length, 'resource')}</p>
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
      <ul className="state-changes">
        {shown.map(({ address, provider }) => (
          <li key={address} className="state-resource">
            <code>{toVisible(address)}</code> <span className="muted">{toVisible(provider)}</span>
          </li>
        ))}
      </ul>
      {more}
    </>
  );
};

const Groups = ({ resources, grouping }: ResourcesProps & { readonly grouping: Exclude<Grouping, 'none'> }) => {
  const groups = useMemo(
    () => [...Map.groupBy(resources, (resource) => resource[grouping])].sort(([a], [b]) => a.localeCompare(b, 'en')),
    [resources, grouping],
  );
  const { shown, more } = useShown(groups);
  const areOpenAtFirst = resources.length <= OPENED;
  return (
    <>
      <p role="status">
        {formatCount(resources.length, 'resource')} in {formatCount(groups.length, grouping)}
      </p>
      <ul className="state-changes">
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
        <span className="muted">{formatCount(resources.length, 'resource')}</span>
      </summary>
      {isOpen && <Rows resources={resources} />}
    </details>
  );
};
