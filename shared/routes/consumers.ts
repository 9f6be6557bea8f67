import type { Routes } from './route.ts';

/** Remote state consumers (spec 4.3). */
export const consumers = {} as const satisfies Routes;
