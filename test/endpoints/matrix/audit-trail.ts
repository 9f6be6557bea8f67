import { matrixGroup } from '../../support/matrix/matrix.ts';

/**
 * Audit trails: owners and teams with the permission read that of the organization. The one in the form of the original
 * needs a token of its own, which none of the callers has.
 */
export const group = matrixGroup({
  name: 'audit trail',
  columns: {
    'of the organization': { routes: ['organizations.audit-trail'], seenBy: 'members' },
    original: { routes: ['audit-trail.list'], seenBy: () => false },
  },
  table: `
                     | of the organization | original
    owner            | 200                 | 404
    read-audit-trail | 200                 | 404
    anyone           | 404                 | 404
    outsider         | 404                 | 404
    no valid token   | 401                 | 401
  `,
});
