import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { signOut } from '../api/browser-session.ts';
import { accountQuery } from '../api/organizations.ts';
import { Button } from '../components/button.tsx';
import { toOptions } from '../components/form.tsx';
import { Menu } from '../components/menu.tsx';
import type { MenuEntry } from '../components/menu-entries.ts';
import { toast } from '../components/toast.tsx';
import { density, theme, timeFormat } from '../lib/preferences.ts';
import { type Store, useStore } from '../lib/store.ts';
import { userPages } from './navigation.ts';

/** Signs out, or says that the user is still signed in. */
const leave = () => {
  signOut().catch(() => toast('You are still signed in: the service could not end the session. Try again.', 'danger'));
};

/** Returns a preference as an entry of the menu. @param options labels of the values */
const useChoice = <T extends string>(
  label: string,
  preference: Store<T>,
  options: Readonly<Record<T, string>>,
): MenuEntry => ({
  kind: 'choice',
  label,
  value: useStore(preference),
  options: toOptions(options),
  onChange: (value) => preference.set(value as T),
});

/** Menu of what belongs to the user: choices for this browser, tokens, the command line, documentation, sign-out. */
export const AccountMenu = ({ openHelp }: { readonly openHelp: () => void }) => {
  const themes = useChoice('Theme', theme, { system: 'System', light: 'Light', dark: 'Dark' });
  const times = useChoice('Times', timeFormat, { relative: 'Relative', exact: 'Exact' });
  const densities = useChoice('Density', density, { comfortable: 'Comfortable', compact: 'Compact' });
  const navigate = useNavigate();
  const { pathname, searchStr } = useLocation();
  // The user is loaded when the menu is first opened, so that no page needs a request for it.
  const [isWanted, setWanted] = useState(false);
  const account = useQuery({ ...accountQuery(), retry: false, enabled: isWanted });
  const user = account.data?.document.data.attributes.username;
  return (
    <Menu
      trigger={<Button look="quiet" icon="member" label="Account and display" />}
      onOpen={() => setWanted(true)}
      entries={[
        ...(user === undefined
          ? []
          : ([{ kind: 'note', label: `Signed in as ${user}` }, { kind: 'separator' }] as const)),
        themes,
        times,
        densities,
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
