import { Fragment, type ReactNode, useRef, useState } from 'react';
import { useMemberNames } from '../api/use-member-names.ts';
import { CheckboxField, SelectField, TextField } from '../components/form.tsx';
import { LabeledSearch } from '../components/labeled-search.tsx';
import { QuickFilter } from '../components/quick-filter.tsx';
import { timeZone } from '../lib/format-time.ts';
import { type HistorySearch, isFiltered, startOfDay, validateHistorySearch } from '../lib/history-search.ts';
import { historyDetails } from '../lib/preferences.ts';
import { useStore } from '../lib/store.ts';
import { useMediaQuery } from '../lib/use-media-query.ts';
import { formatCount } from '../lib/words.ts';
import './history-filters.css';
import type { LoadedHistory } from './history-list.tsx';

/** A period between two times, which have fields of their own. */
const CUSTOM = 'custom';

/** Periods up to now, by the number of days before today; empty for any time. */
const periods = [
  { value: '', label: 'Any time' },
  { value: '0', label: 'Today' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: CUSTOM, label: 'Custom…' },
];

const startOf = (days: string): string => (days === '' ? '' : startOfDay(Number(days)));

/** Returns the period that the filters in the URL stand for. */
const periodOf = ({ since = '', until }: HistorySearch): string =>
  until === undefined
    ? (periods.find(({ value }) => value !== CUSTOM && startOf(value) === since)?.value ?? CUSTOM)
    : CUSTOM;

/** Shows the filters of a history. */
export const HistoryFilters = ({
  organization,
  search,
  actions,
  presets,
  history,
  onChange,
}: {
  readonly organization: string;
  readonly search: HistorySearch;
  /** Actions to choose from. */
  readonly actions: readonly { readonly value: string; readonly label: string }[];
  /** Groups of actions by their labels. */
  readonly presets: Readonly<Record<string, string>>;
  /** Its actors can be chosen by name. */
  readonly history: LoadedHistory;
  readonly onChange: (search: HistorySearch) => void;
}) => {
  const isNarrow = useMediaQuery('(width < 700px)');
  const areDetailsShown = useStore(historyDetails) === 'open';
  const [isOpenAtFirst] = useState(isFiltered(search));
  const [isCustom, setCustom] = useState(false);
  const field = (name: keyof HistorySearch) => ({
    name,
    value: search[name] ?? '',
    onChange: (value: string) => onChange(validateHistorySearch({ ...search, [name]: value })),
  });
  // A link can name several actions.
  const linked =
    search.action === undefined || actions.some(({ value }) => value === search.action) ? [] : [search.action];
  const options = [
    { value: '', label: 'All' },
    ...linked.map((value) => ({ value, label: formatCount(value.split(',').length, 'action') })),
    ...actions,
  ];
  const period = isCustom ? CUSTOM : periodOf(search);
  const isRange = period === CUSTOM;
  const content: Readonly<Record<keyof HistorySearch | 'period', ReactNode>> = {
    text: <LabeledSearch {...field('text')} label="Search" placeholder="Name, key or value" />,
    period: (
      <SelectField
        name="period"
        label="Period"
        value={period}
        options={periods}
        onChange={(value) => {
          setCustom(value === CUSTOM);
          if (value !== CUSTOM) onChange(validateHistorySearch({ ...search, since: startOf(value), until: '' }));
        }}
      />
    ),
    since: isRange && <TextField {...field('since')} label={`Since (${timeZone()})`} type="datetime-local" />,
    until: isRange && <TextField {...field('until')} label={`Until (${timeZone()})`} type="datetime-local" />,
    action: <SelectField {...field('action')} label="Action" options={options} />,
    actor: <ActorField {...field('actor')} organization={organization} history={history} />,
  };
  const fields = (
    <div className="history-filters">
      {Object.entries(content).map(([name, each]) => (
        <Fragment key={name}>{each}</Fragment>
      ))}
    </div>
  );
  const count = Object.keys(search).length;
  const quickFilters = (
    <div className="cluster">
      {Object.entries(presets).map(([label, action]) => (
        <QuickFilter
          key={label}
          label={label}
          isOn={search.action === action}
          onToggle={(isOn) => onChange(validateHistorySearch({ ...search, action: isOn ? action : '' }))}
        />
      ))}
      <span className="history-details">
        <CheckboxField
          name="details"
          label="Show details"
          isChecked={areDetailsShown}
          onChange={(isShown) => historyDetails.set(isShown ? 'open' : 'folded')}
        />
      </span>
    </div>
  );
  // The fields would push the changes off a narrow screen.
  return (
    <div className="stack">
      {isNarrow ? (
        <details open={isOpenAtFirst}>
          <summary>{count === 0 ? 'Filters' : `Filters (${count})`}</summary>
          {fields}
        </details>
      ) : (
        fields
      )}
      {quickFilters}
    </div>
  );
};

interface ActorFieldProps {
  readonly organization: string;
  readonly name: string;
  /** Id of the actor. */
  readonly value: string;
  readonly history: LoadedHistory;
  readonly onChange: (value: string) => void;
}

/** A field for the name of an actor: a member, another actor of the entries that were loaded, or any id. */
const ActorField = ({ organization, value, history, onChange, ...field }: ActorFieldProps) => {
  const [isOpen, setOpen] = useState(false);
  const [text, setText] = useState<string>();
  const members = useMemberNames(organization, isOpen);
  // A filter hides the other actors, who stay known.
  const actors = useRef(new Map<string, string>());
  for (const { attributes } of (history.data?.pages ?? []).flatMap(({ data }) => data)) {
    const { id, name } = attributes.actor;
    if (id !== null && name !== null) actors.current.set(id, name);
  }
  const names = new Map([...members, ...actors.current]);
  const toId = (entered: string): string | undefined => {
    const [id] = [...names].find(([, name]) => name === entered) ?? [];
    return id ?? (entered === '' || /^[a-z]+-\w{8,}$/.test(entered) ? entered : undefined);
  };
  return (
    <TextField
      {...field}
      label="Actor"
      placeholder="Name or ID"
      {...(text !== undefined && toId(text) === undefined && { hint: 'Choose a name from the list, or enter an ID.' })}
      suggestions={[...new Set(names.values())]}
      value={text ?? names.get(value) ?? value}
      onFocus={() => setOpen(true)}
      onChange={(entered) => {
        setText(entered);
        const id = toId(entered);
        if (id !== undefined) onChange(id);
      }}
    />
  );
};
