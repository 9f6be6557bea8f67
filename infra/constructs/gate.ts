import { routeIds, routes } from '../../shared/routes/index.ts';
import type { FunctionName } from '../../shared/runtime/environment.ts';
import type { Settings } from '../settings/settings.ts';
import { tableAccess } from './permissions.ts';

/** Functions that serve requests of the API or of the console. */
export const servingFunctions: readonly FunctionName[] = [
  ...new Set<FunctionName>([...routeIds.map((id) => routes[id].function), 'fallback', 'console']),
];

/** File of the gate in the folder of a function. Lambda loads it in place of the function where a setting needs it. */
export const GATE_FILE = 'gate.mjs';

/**
 * Returns whether the gate limits the requests of each token in front of a function: the functions that read the table, and
 * the function that responds to `ping`, because clients adapt to its response (docs/decisions/0074).
 */
export const isLimited = ({ tokenLimit }: Partial<Pick<Settings, 'tokenLimit'>>, name: FunctionName): boolean =>
  tokenLimit !== undefined &&
  servingFunctions.includes(name) &&
  (tableAccess[name].table.length > 0 || name === 'fallback');

/** Returns whether the gate rejects requests without the secret of a distribution in front of a function (HTTP-45). */
export const checksOrigin = (
  { originSecretArns = [] }: Partial<Pick<Settings, 'originSecretArns'>>,
  name: FunctionName,
): boolean => originSecretArns.length > 0 && servingFunctions.includes(name);
