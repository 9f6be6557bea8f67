import { useRef, useState } from 'react';
import { SelectField, TextField } from '../components/form.tsx';
import { type HistorySearch, validateHistorySearch } from '../lib/history-search.ts';
import { toWords } from '../lib/words.ts';
import './history-filters.css';
import type { LoadedHistory } from './history-list.tsx';

/** Shows the filters of a history. */
export const HistoryFilters = ({
  search,
  actions,
  history,
  onChange,
}: {
  readonly search: HistorySearch;
  /** Actions to choose from. */
  readonly actions: readonly string[];
  /** Its actors can be chosen by name. */
  readonly history: LoadedHistory;
  readonly onChange: (search: HistorySearch) => void;
}) => {
  const field = (name: keyof HistorySearch) => ({
    name,
    value: search[name] ?? '',
    onChange: (value: string) => onChange(validateHistorySearch({ ...search, [name]: value })),
  });
  return (
    <div className="history-filters">
      <TextField {...field('since')} label="Since" type="datetime-local" />
      <TextField {...field('until')} label="Until" type="datetime-local" />
      <SelectField
        {...field('action')}
        label="Action"
        options={[{ value: '', label: 'All' }, ...actions.map((action) => ({ value: action, label: toWords(action) }))]}
      />
      <ActorField {...field('actor')} history={history} />
    </div>
  );
};

interface ActorFieldProps {
  readonly name: string;
  /** Id of the actor. */
  readonly value: string;
  readonly history: LoadedHistory;
  readonly onChange: (value: string) => void;
}

/** A field for the name of an actor of the history, or for any id. */
const ActorField = ({ value, history, onChange, ...field }: ActorFieldProps) => {
  // A filter hides the other actors, who stay known.
  const known = useRef(new Map<string, string>());
  for (const { attributes } of (history.data?.pages ?? []).flatMap(({ data }) => data)) {
    const { id, name } = attributes.actor;
    if (id !== null && name !== null) known.current.set(name, id);
  }
  const toId = (text: string): string | undefined =>
    text === '' ? '' : (known.current.get(text) ?? (/^[a-z]+-\w{8,}$/.test(text) ? text : undefined));
  const [text, setText] = useState<string>();
  const nameOfValue = [...known.current].find(([, id]) => id === value)?.[0] ?? value;
  return (
    <TextField
      {...field}
      label="Actor"
      placeholder="Name or ID"
      {...(text !== undefined && toId(text) === undefined && { hint: 'Choose a name from the list, or enter an ID.' })}
      suggestions={[...known.current.keys()]}
      value={text ?? nameOfValue}
      onChange={(entered) => {
        setText(entered);
        const id = toId(entered);
        if (id !== undefined) onChange(id);
      }}
    />
  );
};
