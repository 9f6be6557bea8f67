import { limits } from '../../shared/domain/limits.ts';
import { isLoopbackUrl } from '../../shared/domain/loopback-url.ts';
import { createFailureLimit } from '../../shared/gate/failure-limit.ts';
import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openSigned } from '../../shared/lib/signed-request.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { allowsLoopbackIssuers, readEnvironment, readService } from '../../shared/runtime/environment.ts';
import { withDirectory } from '../../shared/runtime/with-directory.ts';
import { openRefusedSignIns } from '../../shared/store/directory/sign-in/refused-sign-ins.ts';
import { openRefusedExchanges } from '../../shared/store/directory/workload-identities/refused-exchanges.ts';
import { openDeviceLogins } from '../../shared/store/sign-in/device-logins.ts';
import { openDeviceTries } from '../../shared/store/sign-in/device-tries.ts';
import { openOneTimeSecrets } from '../../shared/store/sign-in/one-time-secrets.ts';
import {
  backchannelLogout,
  deviceDecision,
  deviceRequest,
  loginConsent,
  signInLink,
  tokenGrant,
  tokenRevocation,
  userCode,
  workloadIdentityTest,
} from '../../shared/validators/compiled/bodies.js';
import { openCookies } from './cookies.ts';
import { deviceOperations } from './device.ts';
import { openExamination } from './examine-token.ts';
import { revocationOperations } from './exchange.ts';
import { providerOperations } from './identity-providers.ts';
import { openIssuerKeys } from './issuer-keys.ts';
import { loginOperations } from './login.ts';
import { logoutOperations } from './logout-token.ts';
import { openProviderClients } from './provider-clients.ts';
import { openProviderCredentials } from './provider-credentials.ts';
import { openBrowserSessions } from './sessions.ts';
import { signInOperations } from './sign-in.ts';
import { testOperations } from './test-token.ts';
import { tokenOperations } from './token.ts';

const dependencies = withDirectory(openDependencies('sign-in'));
const {
  PUBLIC_URL: origin,
  IDENTITY_PROVIDERS: providers,
  CONSOLE: hasConsole,
  LOGIN_TOKEN_HOURS: loginHours,
  DEVICE_LOGIN: hasDeviceLogin,
  SESSION_HOURS: hours,
  SESSION_IDLE_MINUTES: idleMinutes,
} = readEnvironment('sign-in');
// The identity providers of the settings may be where the service itself is.
const allowsLoopback = allowsLoopbackIssuers() || isLoopbackUrl(new URL(origin));
const authenticate = openProviderCredentials(
  { ssm: openSigned('ssm', readService('SSM')), sts: openSigned('sts', readService('STS')) },
  now,
);

/** Lambda handler of sign-in, of OAuth 2.0 and of tests of identity tokens. It alone sends requests to issuers. */
export const handler = createHandler(
  'sign-in',
  {
    ...tokenOperations,
    ...revocationOperations,
    ...loginOperations,
    ...deviceOperations,
    ...testOperations,
    ...providerOperations,
    ...signInOperations,
    ...logoutOperations,
  },
  {
    ...dependencies,
    examine: openExamination(openIssuerKeys(now), now),
    origin,
    providers,
    secrets: openOneTimeSecrets(dependencies.database, now),
    hasConsole,
    loginHours,
    hasDeviceLogin,
    devices: openDeviceLogins(dependencies.database, now),
    countDeviceTry: openDeviceTries(dependencies.database, now),
    clients: openProviderClients({ authenticate, allowsLoopback, clock: now }),
    cookies: openCookies(origin),
    sessions: openBrowserSessions(dependencies.directory),
    sessionLimits: { hours, idleMinutes },
    recordRefusal: openRefusedExchanges(dependencies.database, now),
    recordRefusedSignIn: openRefusedSignIns(dependencies.database, now),
    exchangeFailures: createFailureLimit(limits.failedExchanges),
    validators: {
      backchannelLogout,
      deviceDecision,
      deviceRequest,
      loginConsent,
      signInLink,
      tokenGrant,
      tokenRevocation,
      userCode,
      workloadIdentityTest,
    },
  },
);
