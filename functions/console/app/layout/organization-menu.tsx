import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { errorDetails } from '../api/errors.ts';
import { organizationsQuery } from '../api/organizations.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Menu } from '../components/menu.tsx';
import type { MenuEntry } from '../components/menu-entries.ts';

/** Shows the organization of the page, if it has one, and opens another one. The list is loaded when the menu is opened. */
export const OrganizationMenu = ({ organization }: { readonly organization: string | undefined }) => {
  const [isWanted, setWanted] = useState(false);
  const { data, error } = useQuery({ ...organizationsQuery(), enabled: isWanted });
  const navigate = useNavigate();
  const organizations: readonly MenuEntry[] = data?.document.data.map(({ id }) => ({
    kind: 'item',
    label: id,
    isCurrent: id === organization,
    onSelect: () => navigate({ to: '/$organization/workspaces', params: { organization: id } }),
  })) ?? [{ kind: 'note', label: error === null ? 'Loading' : errorDetails(error).join(' ') }];
  return (
    <Menu
      align="start"
      onOpen={() => setWanted(true)}
      trigger={
        <Button
          look="quiet"
          {...(organization !== undefined && { 'aria-label': `Organization ${organization}, switch` })}
        >
          <span className="organization-name">{organization ?? 'Organizations'}</span> <Icon name="down" />
        </Button>
      }
      entries={[
        ...organizations,
        { kind: 'separator' },
        {
          kind: 'item',
          label: 'All organizations',
          onSelect: () => navigate({ to: '/', search: { all: 'true' } }),
        },
      ]}
    />
  );
};
