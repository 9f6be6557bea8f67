import type { Operations } from '../../shared/http/operation.ts';
import { listDocument } from '../../shared/jsonapi/pagination.ts';
import { identityProviderResource } from '../../shared/resources/identity-providers/response.ts';
import { findDisabledProviders } from '../../shared/store/directory/sign-in/disabled-providers.ts';
import type { SignInDependencies } from './dependencies.ts';

export const providerOperations = {
  /** `GET /sign-in/providers`: lists the identity providers for the sign-in page (SIGNIN-1). */
  'sign-in.providers': async (request, { origin, providers, database }) => {
    const names = providers.map(({ name }) => name);
    const disabled = await findDisabledProviders(database, names, false);
    const enabled = providers.filter(({ name }) => !disabled.has(name));
    return listDocument(enabled, request, (provider) => identityProviderResource(provider, origin));
  },
} satisfies Partial<Operations<'sign-in', SignInDependencies>>;
