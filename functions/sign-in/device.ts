import { notFound, OAuthError } from '../../shared/domain/errors.ts';
import { limits } from '../../shared/domain/limits.ts';
import {
  DEVICE_INTERVAL,
  DEVICE_PAGE,
  type DeviceLogin,
  formatUserCode,
  readUserCode,
} from '../../shared/domain/sign-in/device-login.ts';
import { LOGIN_CLIENT } from '../../shared/domain/sign-in/login.ts';
import { type OperationRequest, type Operations, PlainDocument } from '../../shared/http/operation.ts';
import { timestamp } from '../../shared/lib/clock.ts';
import type { SignInDependencies } from './dependencies.ts';
import { authenticatePerson } from './login.ts';
import { allowedLogin, createLoginToken, latestLoginExpiry, requireLoginClient, revokeOldest } from './login-token.ts';

/** Description of the tokens of device logins. */
const DESCRIPTION = 'device login';

/** Explanations of the errors of a poll, by their codes (RFC 8628, 3.5). */
const explanations = {
  authorization_pending: 'Nobody has decided about the login yet.',
  slow_down: 'The request comes too early. Wait five seconds longer from now on.',
  access_denied: 'The login was denied.',
  expired_token: 'The codes have expired. Begin again.',
  invalid_grant: 'The device code is unknown or used. Begin again.',
} as const;

/** Creates the error of a user code that is unknown, decided or expired: the response does not tell which. */
const unknownCode = () =>
  notFound(
    'No login waits with this code. It may be wrong, used, or older than ten minutes. Compare it with the terminal.',
  );

/** @throws DomainError 404 where device logins are off. */
const requireDeviceLogin = ({ hasDeviceLogin }: SignInDependencies): void => {
  if (!hasDeviceLogin) throw notFound('This service does not offer the login of machines without a browser.');
};

/**
 * Finds the login that a person means.
 * @param text code as the person has typed it.
 * @throws DomainError 404 for a wrong code; 429 after too many of them (LOGIN-10).
 */
const findByUserCode = async (
  { countDeviceTry, devices }: SignInDependencies,
  user: string,
  text: string,
): Promise<{ readonly userCode: string; readonly login: DeviceLogin }> => {
  const userCode = readUserCode(text);
  const forgetTry = await countDeviceTry(user);
  const login = await devices.find(userCode);
  if (login === undefined) throw unknownCode();
  await forgetTry();
  return { userCode, login };
};

/**
 * Changes a device code for a token of the user who has allowed it (LOGIN-8).
 * @throws OAuthError for a parameter that is missing, and while there is no token for the code.
 */
export const grantByDeviceCode = async (
  request: OperationRequest<'oauth2.token'>,
  dependencies: SignInDependencies,
): Promise<PlainDocument> => {
  const { device_code: code } = request.body;
  requireLoginClient(request.body);
  if (code === undefined) throw new OAuthError('invalid_request', 'device_code is missing');
  const outcome = await dependencies.devices.poll(code);
  if (typeof outcome === 'string') throw new OAuthError(outcome, explanations[outcome]);
  const token = await createLoginToken(request, dependencies, outcome, DESCRIPTION);
  if (token === undefined) throw new OAuthError('invalid_grant', explanations.invalid_grant);
  await revokeOldest(request, dependencies, outcome);
  return token;
};

export const deviceOperations = {
  /** `POST /oauth2/device`: begins the login of a machine without a browser (LOGIN-7). */
  'oauth2.device': async ({ body, address }, { hasDeviceLogin, devices, origin }) => {
    if (!hasDeviceLogin) {
      const detail = 'This service does not offer the login of machines without a browser (setting deviceLogin)';
      throw new OAuthError('unauthorized_client', detail);
    }
    requireLoginClient(body);
    const { userCode, deviceCode } = await devices.begin(address);
    return new PlainDocument({
      device_code: deviceCode,
      user_code: formatUserCode(userCode),
      verification_uri: origin + DEVICE_PAGE,
      expires_in: limits.deviceSeconds,
      interval: DEVICE_INTERVAL,
    });
  },

  /** `POST /oauth2/device/show`: shows the caller which login has a code, and what it would bring (LOGIN-9). */
  'oauth2.show-device': async ({ digest, body }, dependencies) => {
    requireDeviceLogin(dependencies);
    const principal = await authenticatePerson(dependencies, digest);
    const { login } = await findByUserCode(dependencies, principal.id, body.user_code);
    return new PlainDocument({
      client_id: LOGIN_CLIENT,
      address: login.address,
      requested_at: timestamp(login.requestedAt),
      expires_at: timestamp(await latestLoginExpiry(dependencies, principal)),
    });
  },

  /** `POST /oauth2/device/decision`: the caller allows or denies a login (LOGIN-9). */
  'oauth2.decide-device': async (request, dependencies) => {
    requireDeviceLogin(dependencies);
    const { digest, body } = request;
    const principal = await authenticatePerson(dependencies, digest);
    const allowed = await allowedLogin(request, dependencies, principal);
    const { userCode } = await findByUserCode(dependencies, principal.id, body.user_code);
    if (!(await dependencies.devices.decide(userCode, body.decision === 'allow' ? allowed : 'denied'))) {
      throw unknownCode();
    }
    return new PlainDocument({});
  },
} satisfies Partial<Operations<'sign-in', SignInDependencies>>;
