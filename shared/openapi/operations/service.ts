import type { Group } from '../operation.ts';

/** What is answered to anyone (HTTP-1). */
export const service: Group<'ping'> = {
  name: 'Service',
  description: 'What the service says about itself, to anyone.',
  operations: {
    ping: {
      summary: 'Check that the service responds',
      description: 'The headers say which version of the API it speaks.',
      rule: 'HTTP-1',
    },
  },
};
