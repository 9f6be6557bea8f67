import type { Routes } from './route.ts';

/** Tags and tag bindings (spec 4.4, contract 4.4). */
export const tags = {} as const satisfies Routes;
