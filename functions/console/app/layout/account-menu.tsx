import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { signOut } from '../api/browser-session.ts';
import { accountQuery } from '../api/organizations.ts';
import { Button } from '../components/button.tsx';
import { Menu } from '../components/menu.tsx';
import { toast } from '../components/toast.tsx';
import { density, theme, timeFormat } from '../lib/preferences.ts';
import { useStore } from '../lib/store.ts';
import { userPages } from './navigation.ts';

/** Signs out, or says that the user is still signed in. */
const leave = () => {
  signOut().catch(() => toast('You are still signed in: the service could not end the session. Try again.', 'danger'));
};

/** Menu of what belongs to the user: choices for this browser, tokens, the command line, documentation, sign-out. */
export const AccountMenu = ({ openHelp }: { readonly openHelp: () => void }) => {
  const navigate = useNavigate();
  const { pathname, searchStr } = useLocation();
  // The user is loaded when the menu is first opened, so that no page needs a request for it.
  const [isWanted, setWanted] = useState(false);
  const account = useQuery({ ...accountQuery(), retry: false, enabled: isWanted });
  const user = account.data?.document.data.attributes.username;
  return (
    <Menu
      trigger={<Button look="quiet" icon="user" label="Account and display" />}
      onOpen={() => setWanted(true)}
      entries={[
        ...(user === undefined
          ? []
          : ([{ kind: 'note', label: `Signed in as ${user}` }, { kind: 'separator' }] as const)),
        {
          kind: 'choice',
          label: 'Theme',
          value: useStore(theme),
          options: [
            { value: 'system', label: 'As the system' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ],
          onChange: (value) => theme.set(value as ReturnType<typeof theme.get>),
        },
        {
          kind: 'choice',
          label: 'Times',
          value: useStore(timeFormat),
          options: [
            { value: 'relative', label: 'Relative to now' },
            { value: 'exact', label: 'Exact' },
          ],
          onChange: (value) => timeFormat.set(value as ReturnType<typeof timeFormat.get>),
        },
        {
          kind: 'choice',
          label: 'Density',
          value: useStore(density),
          options: [
            { value: 'comfortable', label: 'Comfortable' },
            { value: 'compact', label: 'Compact' },
          ],
          onChange: (value) => density.set(value as ReturnType<typeof density.get>),
        },
        { kind: 'separator' },
        ...userPages.map(({ to, label }) => ({ kind: 'item' as const, label, onSelect: () => navigate({ to }) })),
        { kind: 'item', label: 'API documentation', onSelect: () => window.location.assign('/docs') },
        { kind: 'item', label: 'Keyboard shortcuts', onSelect: openHelp },
        { kind: 'separator' },
        {
          kind: 'item',
          label: 'Sign in with another token',
          onSelect: () => navigate({ to: '/sign-in', search: { to: pathname + searchStr, reason: 'switch' } }),
        },
        { kind: 'item', label: 'Sign out', onSelect: leave },
      ]}
    />
  );
};
