import { matrixGroup } from '../../support/matrix/matrix.ts';

/** Routes that respond to every caller. */
export const group = matrixGroup({
  name: 'the service',
  columns: {
    ping: { routes: ['ping'] },
    'identity providers': { routes: ['sign-in.providers'] },
    documentation: {
      routes: [
        'documentation.openapi',
        'documentation.page',
        'documentation.discovery',
        'documentation.command-line',
        'documentation.command-line-checksum',
      ],
    },
  },
  table: `
           | ping | identity providers | documentation
    anyone | 204  | 200                | 200
  `,
});
