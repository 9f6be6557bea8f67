import { organizations } from './organizations.ts';
import type { Routes } from './route.ts';

/** The records around workspaces, one file for each kind (contract 8). */
export const directory = { ...organizations } as const satisfies Routes;
