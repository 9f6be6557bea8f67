import { join } from 'node:path';
import type { CliBed, CliOptions } from '../cli-bed.ts';
import type { Samples } from '../sample.ts';

/** A home of their own, because other commands must not find the token. */
const inOtherHome = ({ home, owner }: CliBed): CliOptions => ({
  env: { HOME: join(home, 'signed-in') },
  stdin: `${owner}\n`,
});

/** Adds the console to the service of the test. */
const withConsole =
  (service: typeof fetch): typeof fetch =>
  async (input, init) =>
    String(input).endsWith('/app') ? new Response('<!doctype html>') : service(input, init);

/** Calls of the commands of sign-in, and of those that help to start. */
export const authSamples: Samples = {
  login: (bed) => ({ args: ['holdfast.test', '--token-stdin'], options: inOtherHome(bed) }),
  logout: async (bed) => {
    const options = inOtherHome(bed);
    await bed.run(['login', 'holdfast.test', '--token-stdin'], options);
    return { args: ['holdfast.test'], options };
  },
  'auth status': () => ({ args: [] }),
  'auth token': () => ({ args: [] }),
  whoami: () => ({ args: [] }),
  open: async ({ createWorkspace, fetch }) => ({
    args: [(await createWorkspace()).name, '--print'],
    options: { fetch: withConsole(fetch) },
  }),
  doctor: () => ({ args: [], options: { program: 'main.ts' } }),
  completion: () => ({ args: ['bash'] }),
};
