import type { RequestContext } from '../../domain/transitions/transition.ts';
import { base58 } from '../../lib/random.ts';

/** Creates the request context for a change that a service makes without a client request. */
export const serviceRequest = (name: string): RequestContext => ({
  id: `${name}-${base58(16)}`,
  principal: { kind: 'service', id: name, name },
});
