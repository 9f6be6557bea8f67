import { ApiError } from '../../../shared/client/errors.ts';
import { beginDeviceLogin, pollDeviceLogin } from '../../../shared/client/login.ts';
import type { Api } from '../api.ts';
import { type ExitName, Failure } from '../failure.ts';
import { type Io, writeTo } from '../io.ts';
import { withoutControls } from '../output/format.ts';

/** Milliseconds by which the service lengthens the interval when a poll comes too early (RFC 8628, 3.5). */
const SLOWDOWN = 5_000;

const endings: Readonly<Record<string, readonly [exit: ExitName, message: string]>> = {
  access_denied: ['notAuthenticated', 'The login was denied.'],
  expired_token: ['timedOut', 'Nobody has allowed the login in time.'],
};

/** Returns the code of an error of OAuth 2.0, if it is one. */
const oauthCode = ({ cause }: Failure): string | undefined =>
  cause instanceof ApiError && cause.status === 400 ? cause.errors[0]?.title : undefined;

/**
 * Logs in with the browser of another machine (RFC 8628): shows an address and a code, and waits until a person has allowed
 * the login there.
 * @returns the new token.
 * @throws Failure `notAuthenticated` if the person denies it, `timedOut` if nobody decides in time.
 */
export const logInByDevice = async (io: Io, api: Api): Promise<string> => {
  const { document } = await api.send(beginDeviceLogin());
  const { verification_uri: address, user_code: code, device_code: deviceCode, expires_in: seconds } = document;
  // Whoever runs the command has to see it, also if a program reads the result (CLI-5).
  const sentence = `Open ${address} in any browser, and type the code ${code}. It is valid for ${seconds / 60} minutes.`;
  await writeTo(io.stderr, `${withoutControls(sentence)}\n`);
  for (let interval = document.interval * 1_000; ; ) {
    await io.wait(interval, io.signal);
    try {
      return (await api.lookUp(pollDeviceLogin(deviceCode))).document.access_token;
    } catch (error) {
      const reason = error instanceof Failure ? oauthCode(error) : undefined;
      if (reason === 'slow_down') interval += SLOWDOWN;
      else if (reason !== 'authorization_pending') {
        const [exit, message] = endings[reason ?? ''] ?? [];
        if (exit === undefined) throw error;
        throw new Failure(exit, `${message} Nothing was stored.`, { hint: 'Run the command again.', cause: error });
      }
    }
  }
};
