import { authorizeWorkloadIdentity } from '../../shared/access/authorize/workload-identity.ts';
import type { Operations } from '../../shared/http/operation.ts';
import { workloadIdentityTestResource } from '../../shared/resources/workload-identity-tests/response.ts';
import type { SignInDependencies } from './dependencies.ts';

export const testOperations = {
  /** `POST /workload-identities/:workload_identity_id/actions/test` (WI-13): checks an identity token, and creates nothing. */
  'workload-identities.test': async ({ digest, parameters, body }, { store, directory, examine }) => {
    const { workload_identity_id: id } = parameters;
    const { record } = await authorizeWorkloadIdentity(store, digest, (consistent) =>
      directory.records.findById('workloadIdentity', id, consistent),
    );
    const { identity } = record;
    const { refusal, checks } = await examine(identity, body.data.attributes['subject-token']);
    const message = identity.enabled ? (refusal?.message ?? null) : 'The workload identity is disabled';
    return { data: workloadIdentityTestResource(id, { message, checks }) };
  },
} satisfies Partial<Operations<'sign-in', SignInDependencies>>;
