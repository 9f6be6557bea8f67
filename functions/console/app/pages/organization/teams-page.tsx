import { useQuery } from '@tanstack/react-query';
import { findIncluded } from '../../../../../shared/client/documents.ts';
import { listTeams } from '../../../../../shared/client/teams.ts';
import { useHasIdentityProviders } from '../../api/identity-providers.ts';
import { organizationQuery } from '../../api/organizations.ts';
import { Badge } from '../../components/badge.tsx';
import { Page } from '../../components/page.tsx';
import { Links, ResourceLink } from '../../components/resource-link.tsx';
import { ResourceList } from '../../components/resource-list.tsx';
import { rightsInWords } from '../../lib/access-levels.ts';
import { TeamDialog } from './team-dialog.tsx';
import { useMissingPermission, useOrganizationName } from './use-organization.ts';

/** Number of members of a team that are shown by name. */
const SHOWN_MEMBERS = 10;

/** Lists the teams of an organization. */
export const TeamsPage = () => {
  const organization = useOrganizationName();
  const missing = useMissingPermission('can-create-team');
  const hasProviders = useHasIdentityProviders();
  const settings = useQuery(organizationQuery(organization)).data?.document.data.attributes;
  return (
    <ResourceList
      title="Teams"
      frame={Page}
      request={(page) => listTeams(organization, page)}
      nameOf={({ attributes }) => attributes.name}
      emptyTitle="You see no team"
      hint="A secret team is visible only to its members and to those who may manage teams or see secret teams."
      columns={(document) => ({
        name: {
          cell: ({ id, attributes }) => (
            <span className="cluster">
              <ResourceLink type="teams" id={id} name={attributes.name} />
              {/* A badge on all teams would tell nothing. */}
              {attributes.visibility === 'secret' &&
                document.data.some((team) => team.attributes.visibility !== 'secret') && <Badge>secret</Badge>}
            </span>
          ),
        },
        Members: {
          cell: ({ relationships: { users } }) =>
            users === undefined ? (
              'not shown'
            ) : (
              <Links
                type="users"
                resources={users.data.slice(0, SHOWN_MEMBERS).map((user) => ({
                  id: user.id,
                  name: findIncluded(document, 'users', user)?.attributes.username ?? user.id,
                }))}
                others={users.data.length - SHOWN_MEMBERS}
              />
            ),
        },
        'organization-access': {
          name: 'Rights in the organization',
          cell: ({ attributes }) => rightsInWords(attributes['organization-access']),
        },
        // Shown next to the name.
        visibility: false,
        'users-count': false,
        'sso-team-id': hasProviders && {
          cell: ({ attributes }) =>
            (attributes.name === 'owners' ? settings?.['owners-team-saml-role-id'] : attributes['sso-team-id']) ?? null,
        },
        'allow-member-token-management': false,
        'is-unified': false,
        permissions: false,
      })}
      add={{
        label: 'New team',
        disabledReason: missing,
        dialog: (onClose) => <TeamDialog onClose={onClose} />,
      }}
    />
  );
};
