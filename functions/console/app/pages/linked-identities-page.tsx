import { listLinkedIdentities } from '../../../../shared/client/sessions.ts';
import { ResourceList } from '../components/resource-list.tsx';
import { toVisible } from '../components/visible-text.tsx';
import { UserPage, WithAccount } from './user-page.tsx';

/** Shows the address of an issuer, which wraps after slashes. */
const Issuer = ({ address }: { readonly address: string }) => (
  <code>
    {[...address.matchAll(/[^/]*\/?/g)].map(({ 0: part, index }) => (
      <span key={index}>
        {toVisible(part)}
        <wbr />
      </span>
    ))}
  </code>
);

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
        hint="You can sign in with these identities. The first sign-in at an identity provider links it; the operators of this service can remove it."
        columns={() => ({
          provider: { name: 'Identity provider' },
          issuer: { cell: ({ attributes }) => <Issuer address={attributes.issuer} /> },
          subject: { cell: ({ attributes }) => <code>{toVisible(attributes.subject)}</code> },
          'linked-at': true,
        })}
      />
    )}
  </WithAccount>
);
