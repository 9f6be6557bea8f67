import { matrixGroup } from '../../support/matrix/matrix.ts';
import { recordColumns } from '../../support/matrix/matrix-records.ts';

const { columns } = recordColumns({
  routes: 'ssh-keys',
  parameter: 'ssh_key_id',
  attributes: (name) => ({ name, value: 'k' }),
});

/** SSH keys: `manage-vcs-settings` includes them. Organization tokens cannot read or assign them. */
export const group = matrixGroup({
  name: 'SSH keys',
  columns,
  table: `
                       | list    | show | create | update delete
    owner              | 200:all | 200  | 201    | 200    204
    organization token | 404     | 404  | 404    | 404    404
    manage-vcs-settings | 200:all | 200  | 201    | 200    204
    anyone             | 200:all | 200  | 404    | 404    404
    outsider           | 404     | 404  | 404    | 404    404
    no valid token     | 401     | 401  | 401    | 401    401
  `,
});
