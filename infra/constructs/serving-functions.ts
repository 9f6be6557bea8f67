import { routeIds, routes } from '../../shared/routes/index.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';

/** Functions that serve requests of the API or of the console. */
export const servingFunctions: readonly FunctionName[] = [
  ...new Set<FunctionName>([...routeIds.map((id) => routes[id].function), 'fallback', 'console']),
];
