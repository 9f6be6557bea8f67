import type { RequestContext } from '../../domain/transitions/transition.ts';
import { base58 } from '../../lib/random.ts';

/** A change that a service makes of its own accord; each is a request of its own. */
export const serviceRequest = (name: string): RequestContext => ({
  id: `${name}-${base58(16)}`,
  principal: { kind: 'service', id: name, name },
});
