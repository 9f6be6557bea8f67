import { matrixGroup, type Trial } from '../../support/matrix/matrix.ts';

const atProvider = async ({ send }: Trial): Promise<void> => {
  await send({ parameters: { provider_name: 'nobody' } });
};

/** Sign-in of people. Its credentials are cookies and tokens of identity providers, so tokens of the API make no difference. */
export const group = matrixGroup({
  name: 'sign-in',
  columns: {
    browser: { routes: ['sign-in.start', 'sign-in.callback'], attempt: atProvider },
    logout: { routes: ['sign-in.logout'], attempt: atProvider },
    session: { routes: ['sign-in.session', 'sign-in.end', 'sign-in.link'], seenBy: 'members' },
  },
  table: `
           | browser | logout | session
    anyone | 400     | 400    | 403
  `,
});
