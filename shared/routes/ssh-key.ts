import type { Routes } from './route.ts';

/** The SSH key of a workspace (spec 4.2). */
export const sshKey = {} as const satisfies Routes;
