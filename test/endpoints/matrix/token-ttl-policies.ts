import { matrixGroup } from '../../support/matrix/matrix.ts';

const policies = [{ 'token-type': 'audit_trails', 'max-ttl-ms': 31_536_000_000 }];
const body = {
  data: { type: 'organization-token-ttl-policies', attributes: { 'token-ttl-policies': policies } },
};

/** Limits of the lifetime of tokens: every member can read them. Callers that may update the organization set them. */
export const group = matrixGroup({
  name: 'token TTL policies',
  columns: {
    list: { routes: ['token-ttl-policies.list'], seenBy: 'members' },
    update: {
      routes: ['token-ttl-policies.update'],
      seenBy: 'members',
      attempt: async ({ send }) => {
        await send({ body });
      },
    },
  },
  table: `
                       | list | update
    owner              | 200  | 200
    organization token | 200  | 200
    manage-teams       | 200  | 404
    anyone             | 200  | 404
    outsider           | 404  | 404
    no valid token     | 401  | 401
  `,
});
