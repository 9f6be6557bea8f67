import type { Operations } from '../../shared/http/operation.ts';
import { listDocument } from '../../shared/jsonapi/pagination.ts';
import { identityProviderResource } from '../../shared/resources/identity-providers/response.ts';
import type { SignInDependencies } from './dependencies.ts';

export const providerOperations = {
  /** `GET /sign-in/providers`: lists the identity providers for the sign-in page (SIGNIN-1). */
  'sign-in.providers': async (request, { origin, providers }) =>
    listDocument(providers, request, (provider) => identityProviderResource(provider, origin)),
} satisfies Partial<Operations<'sign-in', SignInDependencies>>;
