import type { IdentityProvider } from '../../domain/identity-providers.ts';
import type { Resource } from '../../jsonapi/document.ts';
import type { ComputedValues } from '../attribute-table.ts';
import type { attributes } from './attributes.ts';

/**
 * Builds the resource of an identity provider (SIGNIN-1). It contains nothing but what the sign-in page shows.
 * @param origin of the deployment. A sign-in on another host name would leave its cookies there.
 */
export const identityProviderResource = (
  { name, label }: Pick<IdentityProvider, 'name' | 'label'>,
  origin: string,
): Resource => ({
  id: name,
  type: 'identity-providers',
  attributes: { name, label, 'sign-in-url': `${origin}/sign-in/${name}` } satisfies ComputedValues<typeof attributes>,
});
