import type { Routes } from './route.ts';

/** Data retention policies (spec 4.5). */
export const retention = {} as const satisfies Routes;
