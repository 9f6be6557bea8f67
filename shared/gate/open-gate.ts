import type { HttpHandler } from '../http/stack.ts';
import { readTokenLimit } from '../runtime/environment.ts';
import { createGate } from './gate.ts';

/** Opens the gate in front of a function, by its environment. Lambda loads it only where a setting needs it. */
export const openGate = (serve: HttpHandler): HttpHandler => {
  const limit = readTokenLimit();
  return limit === undefined ? serve : createGate(serve, limit);
};
