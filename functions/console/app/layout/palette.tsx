import { useRouter } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { Icon } from '../components/icon.tsx';
import { markInvisible, toVisible } from '../components/visible-text.tsx';
import './palette.css';
import { type Entry, useEntries } from './palette-entries.ts';

/** Command palette: opens anything by a part of its name, what was opened last first, and does things such as "lock network". */
export const Palette = ({
  organization,
  typed,
  onClose,
}: {
  readonly organization: string | undefined;
  /** Text that the user has typed before the palette was loaded. */
  readonly typed: RefObject<string>;
  readonly onClose: () => void;
}) => {
  const router = useRouter();
  const listId = useId();
  const [text, setText] = useState('');
  // An initial state would miss the keys that are pressed before the field is on the page.
  useLayoutEffect(() => setText(typed.current), [typed]);
  const [active, setActive] = useState(0);
  const { entries, isLoading } = useEntries(organization, text);
  // For this text, Enter was pressed before anything was found.
  const [awaited, setAwaited] = useState<string>();
  const index = Math.min(active, entries.length - 1);
  const optionId = (position: number) => `${listId}-${position}`;

  useEffect(() => {
    document.getElementById(`${listId}-${index}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, index]);

  const open = ({ path }: Entry) => {
    onClose();
    router.history.push(router.basepath + path);
  };
  useEffect(() => {
    if (awaited !== text || isLoading) return;
    setAwaited(undefined);
    if (entries[0] !== undefined) open(entries[0]);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      setActive((index + step + entries.length) % entries.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      if (entries[index] === undefined) setAwaited(text);
      else open(entries[index]);
    }
  };
  const isOfOrganizations = organization === undefined;
  const groups = [...new Set(entries.map(({ group }) => group))];
  const isNothing = entries.length === 0;
  return (
    <Dialog
      title={isOfOrganizations ? 'Open an organization or a page' : 'Find anything'}
      closesOnClickOutside
      onClose={onClose}
    >
      <div className="palette-search">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label="Name"
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={entries.length > 0 ? optionId(index) : undefined}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          placeholder={isOfOrganizations ? 'Part of a name' : 'Part of a name, or an action such as “lock network”'}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className="palette-list" id={listId} role="listbox" aria-label="Results">
        {groups.map((group) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a list of options
          <div key={group} role="group" aria-label={group}>
            <div className="palette-group" role="presentation">
              {group}
            </div>
            {entries.map(
              (entry, position) =>
                entry.group === group && (
                  // The field has the focus and handles the keys.
                  // biome-ignore lint/a11y/useKeyWithClickEvents: see above
                  // biome-ignore lint/a11y/useFocusableInteractive: see above
                  <div
                    key={`${entry.path} ${entry.label}`}
                    id={optionId(position)}
                    role="option"
                    aria-selected={position === index}
                    className="palette-option"
                    onClick={() => open(entry)}
                  >
                    <Icon name={entry.icon} />
                    <span className="palette-label">
                      <Found text={entry.label} part={text.trim().toLowerCase()} />
                    </span>
                    {entry.detail !== undefined && <span className="muted">{toVisible(entry.detail)}</span>}
                  </div>
                ),
            )}
          </div>
        ))}
      </div>
      <p className={isNothing ? 'palette-nothing' : 'visually-hidden'} role="status">
        {!isNothing
          ? `${entries.length} shown.`
          : isLoading
            ? 'Searching…'
            : isOfOrganizations
              ? 'Nothing found. Open an organization first to find what is in it.'
              : 'Nothing found. Variables are found by the beginning of the key, and everything else by a part of its name.'}
      </p>
      {/* Screen readers name the keys of a list of options themselves. */}
      <p className="palette-keys" aria-hidden="true">
        <span>
          <kbd>↑</kbd> <kbd>↓</kbd> choose
        </span>
        <span>
          <kbd>↵</kbd> open
        </span>
        <span>
          <kbd>Esc</kbd> close
        </span>
      </p>
    </Dialog>
  );
};

/** Shows a name with the part that was searched for in bold. */
const Found = ({ text, part }: { readonly text: string; readonly part: string }) => {
  const start = part === '' ? -1 : text.toLowerCase().indexOf(part);
  if (start < 0) return toVisible(text);
  const end = start + part.length;
  return (
    <bdi>
      {markInvisible(text.slice(0, start))}
      <strong>{markInvisible(text.slice(start, end))}</strong>
      {markInvisible(text.slice(end))}
    </bdi>
  );
};
