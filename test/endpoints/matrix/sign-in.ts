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
    session: { routes: ['sign-in.session', 'sign-in.end'], seenBy: 'members' },
    link: {
      routes: ['sign-in.link'],
      seenBy: 'members',
      attempt: async ({ send }: Trial) => {
        await send({ body: { link: 'nobody.secret' } });
      },
    },
  },
  table: `
           | browser | logout | session | link
    anyone | 400     | 400    | 403     | 403
  `,
});
