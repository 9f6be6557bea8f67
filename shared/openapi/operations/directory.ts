import { organizations } from './organizations.ts';

/** The records around workspaces, a chapter for each kind (contract 8). */
export const directory = {
  groups: [organizations],
  operations: { ...organizations.operations },
};
