import type { Routes } from './route.ts';

/** Variables, by the deprecated paths and by their successors (spec 4.6). */
export const variables = {} as const satisfies Routes;
