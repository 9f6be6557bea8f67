import type { HttpHandler } from '../http/stack.ts';
import { readDistributionSecrets, readPublicUrl, readTokenLimit } from '../runtime/environment.ts';
import { behindDistribution } from './distribution.ts';
import { createGate } from './gate.ts';

/** Opens the gate in front of a function, by its environment. Lambda loads it only where a setting needs it. */
export const openGate = (serve: HttpHandler): HttpHandler => {
  const limit = readTokenLimit();
  const distribution = readDistributionSecrets();
  const limited = limit === undefined ? serve : createGate(serve, limit);
  return distribution === undefined
    ? limited
    : behindDistribution(Object.assign(limited, { shared: serve.shared }), {
        ...distribution,
        publicUrl: readPublicUrl(),
      });
};
