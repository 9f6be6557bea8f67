import type { Routes } from './route.ts';

/** The records around workspaces (contract 8). */
export const directory = {} as const satisfies Routes;
