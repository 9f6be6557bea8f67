import type { retention as routes } from '../../routes/retention.ts';
import type { Group } from '../operation.ts';

/** Data retention policies (spec 4.5). */
export const retention: Group<keyof typeof routes> = {
  name: 'Data retention policies',
  description: 'For how long state versions are kept; on the self-hosted edition.',
  operations: {},
};
