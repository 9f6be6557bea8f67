import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useEffect, useId, useLayoutEffect, useState } from 'react';
import { apiRequest } from '../../../../shared/client/request.ts';
import { organizationsQuery } from '../api/organizations.ts';
import { apiQuery } from '../api/query-client.ts';
import { Dialog } from '../components/dialog.tsx';
import { toVisible } from '../components/visible-text.tsx';
import { useDebounced } from '../lib/use-debounced.ts';
import './palette.css';
import { organizationPages, userPages } from './navigation.ts';

interface Entry {
  readonly key: string;
  readonly label: string;
  readonly group: 'Workspace' | 'Page' | 'Organization';
  readonly open: () => void;
}

const workspacesByName = (organization: string, name: string) =>
  apiQuery(
    apiRequest('get', '/api/v2/organizations/{organization_name}/workspaces', {
      path: { organization_name: organization },
      query: { 'search[name]': name, 'page[size]': 20 },
    }),
  );

/** Command palette: opens any workspace, page or organization by a part of its name. */
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
  const navigate = useNavigate();
  const listId = useId();
  const [text, setText] = useState('');
  // An initial state would miss the keys that are pressed before the field is on the page.
  useLayoutEffect(() => setText(typed.current), [typed]);
  const [active, setActive] = useState(0);
  const search = useDebounced(text.trim(), 150);
  const workspaces = useQuery({
    ...workspacesByName(organization ?? '', search),
    enabled: organization !== undefined,
    placeholderData: keepPreviousData,
  });
  const organizations = useQuery({ ...organizationsQuery(), enabled: organization === undefined });

  const includesText = ({ label }: Entry): boolean => label.toLowerCase().includes(text.trim().toLowerCase());
  const entries: readonly Entry[] = [
    ...(organization === undefined ? [] : (workspaces.data?.document.data ?? []))
      .map(
        ({ id, attributes: { name: workspace } }): Entry => ({
          key: id,
          label: workspace,
          group: 'Workspace',
          open: () =>
            navigate({
              to: '/$organization/workspaces/$workspace',
              params: { organization: organization ?? '', workspace },
            }),
        }),
      )
      // Until the result is there, the former one is shown, of which Enter must not open another workspace.
      .filter(includesText),
    ...(organization === undefined ? [] : organizationPages)
      .map(
        ({ to, label }): Entry => ({
          key: to,
          label,
          group: 'Page',
          open: () => navigate({ to, params: { organization: organization ?? '' } }),
        }),
      )
      .filter(includesText),
    ...(organizations.data?.document.data ?? [])
      .map(
        ({ id }): Entry => ({
          key: `organization ${id}`,
          label: id,
          group: 'Organization',
          open: () => navigate({ to: '/$organization/workspaces', params: { organization: id } }),
        }),
      )
      .filter(includesText),
    ...userPages
      .map(({ to, label }): Entry => ({ key: to, label, group: 'Page', open: () => navigate({ to }) }))
      .filter(includesText),
  ];
  const index = Math.min(active, entries.length - 1);
  const optionId = (position: number) => `${listId}-${position}`;

  useEffect(() => {
    document.getElementById(`${listId}-${index}`)?.scrollIntoView({ block: 'nearest' });
  }, [listId, index]);

  const open = (entry: Entry | undefined) => {
    if (entry === undefined) return;
    onClose();
    entry.open();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && entries.length > 0) {
      event.preventDefault();
      setActive((index + step + entries.length) % entries.length);
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(entries[index]);
    }
  };
  const isOfOrganizations = organization === undefined;
  return (
    <Dialog
      title={isOfOrganizations ? 'Open an organization or a page' : 'Open a workspace or a page'}
      closesOnClickOutside
      onClose={onClose}
    >
      <div className="palette-search">
        <input
          className="input"
          role="combobox"
          aria-label="Name"
          aria-expanded="true"
          aria-controls={listId}
          aria-autocomplete="list"
          aria-activedescendant={entries.length > 0 ? optionId(index) : undefined}
          autoComplete="off"
          spellCheck={false}
          autoFocus
          placeholder="Part of a name"
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className="palette-list" id={listId} role="listbox" aria-label="Results">
        {entries.map((entry, position) => (
          // The field has the focus and handles the keys.
          // biome-ignore lint/a11y/useKeyWithClickEvents: see above
          // biome-ignore lint/a11y/useFocusableInteractive: see above
          <div
            key={entry.key}
            id={optionId(position)}
            role="option"
            aria-selected={position === index}
            className="palette-option"
            onClick={() => open(entry)}
          >
            <span>{toVisible(entry.label)}</span>
            <span className="muted">{entry.group}</span>
          </div>
        ))}
      </div>
      <p className="palette-status" role="status">
        {entries.length === 0 && !workspaces.isFetching && !organizations.isFetching ? (
          isOfOrganizations ? (
            'Nothing found. Open an organization first to find its workspaces and pages.'
          ) : (
            'Nothing found.'
          )
        ) : (
          <>
            {entries.length} found.<span> Arrow keys choose, Enter opens.</span>
          </>
        )}
      </p>
    </Dialog>
  );
};
