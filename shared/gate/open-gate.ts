import type { HttpHandler } from '../http/stack.ts';
import { readOriginSecrets, readPublicUrl, readTokenLimit } from '../runtime/environment.ts';
import { createGate } from './gate.ts';
import { createOriginCheck } from './origin-check.ts';

/** Opens the gate in front of a function, by its environment. Lambda loads it only where a setting needs it. */
export const openGate = (serve: HttpHandler): HttpHandler => {
  const limit = readTokenLimit();
  const secrets = readOriginSecrets();
  const limited = limit === undefined ? serve : createGate(serve, limit);
  return secrets === undefined
    ? limited
    : createOriginCheck(Object.assign(limited, { shared: serve.shared }), secrets, readPublicUrl());
};
