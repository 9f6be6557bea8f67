import { matrixGroup } from '../../support/matrix/matrix.ts';

/**
 * Audit trails: owners and teams with the permission read that of the organization (HIST-12). The one in the form of the
 * original is for the token of the audit trails only (HIST-13).
 */
export const group = matrixGroup({
  name: 'audit trail',
  columns: {
    'of the organization': { routes: ['organizations.audit-trail'], seenBy: 'members' },
    original: { routes: ['audit-trail.list'], seenBy: () => false },
  },
  table: `
                      | of the organization | original
    owner             | 200                 | 404
    read-audit-trail  | 200                 | 404
    audit trail token | 404                 | 200
    anyone            | 404                 | 404
    outsider          | 404                 | 404
    no valid token    | 401                 | 401
  `,
});
