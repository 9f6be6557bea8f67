import { listLinkedIdentities } from '../../../../shared/client/sessions.ts';
import { ResourceList } from '../components/resource-list.tsx';
import { toVisible } from '../components/visible-text.tsx';
import { UserPage, WithAccount } from './user-page.tsx';

const TITLE = 'Linked identities';

/** Lists the identities at identity providers with which the user signs in. */
export const LinkedIdentitiesPage = () => (
  <WithAccount title={TITLE}>
    {({ data: { id } }) => (
      <ResourceList
        title={TITLE}
        frame={UserPage}
        request={(page) => listLinkedIdentities(id, page)}
        nameOf={({ attributes }) => attributes.subject}
        emptyTitle="You have no linked identity"
        hint="Who signs in with one of these identities is you. The first sign-in at an identity provider links it; the operators of this service can remove it."
        columns={() => ({
          provider: { name: 'Identity provider' },
          issuer: { cell: ({ attributes }) => <code>{toVisible(attributes.issuer)}</code> },
          subject: { cell: ({ attributes }) => <code>{toVisible(attributes.subject)}</code> },
          'linked-at': true,
        })}
      />
    )}
  </WithAccount>
);
