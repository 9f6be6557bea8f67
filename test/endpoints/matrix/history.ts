import { matrixGroup } from '../../support/matrix/matrix.ts';

/** History: callers that can read the settings of a workspace can read its history (HIST-8). */
export const group = matrixGroup({
  name: 'history',
  columns: { list: { routes: ['workspaces.history'] } },
  table: `
                    | list
    no access       | 404
    run with access | 404
    outsider        | 404
    no valid token  | 401
    anyone          | 200
  `,
});
