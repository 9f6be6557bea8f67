import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { organizationTagsQuery, projectsQuery } from '../../api/organizations.ts';
import type { WorkspaceRow } from '../../api/workspaces.ts';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField, toOptions } from '../../components/form.tsx';
import { Icon } from '../../components/icon.tsx';
import { QuickFilter } from '../../components/quick-filter.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { formatExact } from '../../lib/format-time.ts';
import { useMediaQuery } from '../../lib/use-media-query.ts';
import { executionModes, runStatusLabel } from '../../lib/words.ts';
import './filters.css';
import {
  type FilterName,
  filterNames,
  isTimeName,
  sortLabels,
  splitList,
  type timeNames,
  type WorkspaceSearch,
  type WorkspaceSort,
} from './search.ts';

interface FiltersProps {
  readonly organization: string;
  readonly search: WorkspaceSearch;
  readonly statusCounts: Readonly<Record<string, number>>;
  readonly onChange: (changes: { readonly [N in keyof WorkspaceSearch]?: string }) => void;
}

interface AllFiltersProps extends FiltersProps {
  /** Workspaces that are found, which name the holder of their lock. */
  readonly rows: readonly WorkspaceRow[];
}

const labels: Readonly<Record<FilterName, string>> = {
  name: 'Name',
  project: 'Project',
  tags: 'Tags',
  run: 'Run',
  holder: 'Lock holder',
  mode: 'Execution mode',
  version: 'Tool version',
  locked: 'Locked',
  'locked-since': 'Locked since',
  'locked-before': 'Locked before',
  'changed-since': 'State changed since',
  'changed-before': 'State changed before',
  protected: 'Deletion protection',
};

const statusList = (statuses: string): string => splitList(statuses).map(runStatusLabel).join(', ');

/** Shows the search, the filters, and the filters in use. */
export const Filters = ({ organization, search, statusCounts, rows, onChange }: AllFiltersProps) => {
  const [isOpen, setOpen] = useState(false);
  const panelId = useId();
  // The projects are loaded when the filters are opened, or to name the project of the filter.
  const projects = useQuery({ ...projectsQuery(organization), enabled: isOpen || search.project !== undefined });
  const projectOptions = (projects.data?.document.data ?? []).map(({ id, attributes: { name } }) => ({
    value: id,
    label: name,
  }));
  // The search and the quick filters are shown on their own.
  const isShownOtherwise = (name: FilterName): boolean =>
    name === 'name' || (name === 'locked' && search.locked === 'true') || (name === 'run' && search.run === 'errored');
  const used = filterNames.filter((name) => search[name] !== undefined && !isShownOtherwise(name));
  const shownValue = (name: FilterName): string => {
    const value = search[name] ?? '';
    if (name === 'project') return projectOptions.find((option) => option.value === value)?.label ?? value;
    if (name === 'holder') {
      return rows.find(({ workspace }) => workspace.relationships['locked-by'].data?.id === value)?.lockedBy ?? value;
    }
    if (name === 'protected') return value === 'true' ? 'on' : 'off';
    if (isTimeName(name)) return formatExact(new Date(value));
    if (value === 'true') return 'yes';
    if (value === 'false') return 'no';
    return name === 'run' ? statusList(value) : splitList(value).join(', ');
  };
  return (
    <div className="filters">
      <div className="cluster">
        <NameSearch value={search.name ?? ''} onChange={(name) => onChange({ name })} />
        <Button
          icon="filter"
          aria-expanded={isOpen}
          aria-controls={isOpen ? panelId : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          Filters
        </Button>
        <QuickFilter
          label="Locked"
          isOn={search.locked === 'true'}
          onToggle={(isOn) => onChange(isOn ? { locked: 'true', sort: 'locked-at' } : { locked: '', sort: '' })}
        />
        <QuickFilter
          label="Failed"
          count={statusCounts['errored']}
          isOn={search.run === 'errored'}
          onToggle={(isOn) => onChange({ run: isOn ? 'errored' : '' })}
        />
        {used.map((name) => (
          <button
            key={name}
            type="button"
            className="filter-chip"
            aria-label={`Remove the filter ${labels[name]}: ${shownValue(name)}`}
            onClick={() => onChange({ [name]: '' })}
          >
            <span>
              {labels[name]}: {shownValue(name)}
            </span>
            <Icon name="close" />
          </button>
        ))}
        {used.length > 1 && (
          <Button look="quiet" onClick={() => onChange(Object.fromEntries(used.map((name) => [name, ''])))}>
            Clear filters
          </Button>
        )}
      </div>
      {isOpen && (
        <div id={panelId} className="filters-panel">
          <FilterPanel
            organization={organization}
            search={search}
            statusCounts={statusCounts}
            projectOptions={projectOptions}
            onChange={onChange}
          />
        </div>
      )}
    </div>
  );
};

/** Pause after which a text of the filters applies, in milliseconds. */
const PAUSE_MILLIS = 200;

/** Keeps the text of a field of the filters, and applies it when the user pauses. */
const useSettledText = (value: string, onChange: (value: string) => void) => {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  const latestOnChange = useRef(onChange);
  const timer = useRef<number>(undefined);
  useEffect(() => {
    latestOnChange.current = onChange;
  }, [onChange]);
  useEffect(() => {
    // The URL has changed otherwise, such as by the Back button.
    if (value === sent.current) return;
    clearTimeout(timer.current);
    sent.current = value;
    setText(value);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const edit = (edited: string): void => {
    setText(edited);
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => {
      if (edited.trim() === sent.current) return;
      sent.current = edited.trim();
      latestOnChange.current(sent.current);
    }, PAUSE_MILLIS);
  };
  return [text, edit] as const;
};

/** Searches by name when the user pauses. */
const NameSearch = ({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) => {
  const [text, setText] = useSettledText(value, onChange);
  const hint = useMediaQuery('(width < 700px)') ? '' : ' ( / )';
  return <SearchField label="Search by name" placeholder={`Search by name${hint}`} value={text} onChange={setText} />;
};

const anyOption = { value: '', label: 'Any' };
const flagOptions = (on: string, off: string) => [anyOption, ...toOptions({ true: on, false: off })];
const modeOptions = [anyOption, ...executionModes.map((mode) => ({ value: mode, label: mode }))];

type Options = readonly { readonly value: string; readonly label: string }[];

/** Adds the value in force, which the URL can have although no option has it, such as several values. */
const withValue = (options: Options, value = '', label = splitList(value).join(', ')): Options =>
  options.some((option) => option.value === value) ? options : [...options, { value, label }];

const FilterPanel = ({
  organization,
  search,
  statusCounts,
  projectOptions,
  onChange,
}: FiltersProps & { readonly projectOptions: Options }) => {
  const tags = useQuery(organizationTagsQuery(organization));
  const statuses = Object.keys(statusCounts).filter((status) => status !== 'total');
  const runOptions = [...new Set([...statuses, ...splitList(search.run)])].map((status) => ({
    value: status,
    label: `${runStatusLabel(status)} (${(statusCounts[status] ?? 0).toLocaleString()})`,
  }));
  const field = (name: FilterName) => ({
    label: labels[name],
    name,
    value: search[name] ?? '',
    onChange: (value: string) => onChange({ [name]: value }),
  });
  // The search has its own place, and only links filter by the holder of a lock and by times.
  const fields: Readonly<Record<Exclude<FilterName, 'name' | 'holder' | (typeof timeNames)[number]>, ReactNode>> = {
    project: <SelectField {...field('project')} options={withValue([anyOption, ...projectOptions], search.project)} />,
    tags: (
      <SettledField
        {...field('tags')}
        hint="Name or key=value, with commas. All must match."
        suggestions={(tags.data?.document.data ?? []).map(({ attributes: { name } }) => name)}
      />
    ),
    run: (
      <SelectField
        {...field('run')}
        label="Current run"
        options={withValue([anyOption, ...runOptions], search.run, statusList(search.run ?? ''))}
      />
    ),
    locked: <SelectField {...field('locked')} options={flagOptions('Yes', 'No')} />,
    mode: <SelectField {...field('mode')} options={withValue(modeOptions, search.mode)} />,
    version: <SettledField {...field('version')} hint="A version or a constraint, such as 1.10.5 or < 1.6.0." />,
    protected: <SelectField {...field('protected')} options={flagOptions('On', 'Off')} />,
  };
  return (
    <>
      {Object.entries(fields).map(([name, content]) => (
        <Fragment key={name}>{content}</Fragment>
      ))}
      <SelectField<WorkspaceSort>
        label="Order"
        name="sort"
        value={search.sort ?? 'name'}
        options={toOptions(sortLabels)}
        onChange={(sort) => onChange({ sort })}
      />
    </>
  );
};

/** A field whose value is applied when the user pauses. */
const SettledField = ({
  value,
  onChange,
  ...field
}: {
  readonly label: string;
  readonly name: string;
  readonly hint: string;
  readonly value: string;
  readonly suggestions?: readonly string[];
  readonly onChange: (value: string) => void;
}) => {
  const [text, setText] = useSettledText(value, onChange);
  return <TextField {...field} value={text} onChange={setText} />;
};
