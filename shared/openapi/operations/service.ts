import type { Group } from '../operation.ts';

/** Public information about the service (HTTP-1). */
export const service = {
  name: 'Service',
  description: 'Public information about the service.',
  operations: {
    ping: {
      summary: 'Check that the service responds',
      description: 'The headers state the version of the API.',
      rule: 'HTTP-1',
    },
  },
} satisfies Group;
