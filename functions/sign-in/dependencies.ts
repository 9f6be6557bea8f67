import type { SessionLimits } from '../../shared/domain/directory/sessions.ts';
import type { IdentityProvider } from '../../shared/domain/identity-providers.ts';
import type { FailureLimit } from '../../shared/gate/failure-limit.ts';
import type { Dependencies } from '../../shared/runtime/dependencies.ts';
import type { WithDirectory } from '../../shared/runtime/with-directory.ts';
import type { RecordRefusedSignIn } from '../../shared/store/directory/sign-in/refused-sign-ins.ts';
import type { RecordRefusal } from '../../shared/store/directory/workload-identities/refused-exchanges.ts';
import type { DeviceLogins } from '../../shared/store/sign-in/device-logins.ts';
import type { CountDeviceTry } from '../../shared/store/sign-in/device-tries.ts';
import type { OneTimeSecrets } from '../../shared/store/sign-in/one-time-secrets.ts';
import type { openCookies } from './cookies.ts';
import type { Examine } from './examine-token.ts';
import type { openProviderClients } from './provider-clients.ts';
import type { openBrowserSessions } from './sessions.ts';

/** Dependencies of the operations of OAuth 2.0, of tests of identity tokens, and of sign-in. */
export interface SignInDependencies extends WithDirectory<Dependencies> {
  readonly examine: Examine;
  readonly recordRefusal: RecordRefusal;
  readonly recordRefusedSignIn: RecordRefusedSignIn;
  /** Limit on failed exchanges, by workload identity and address of the client. */
  readonly exchangeFailures: FailureLimit;
  /** Origin of the deployment, such as `https://holdfast.example.com`. */
  readonly origin: string;
  readonly providers: readonly IdentityProvider[];
  /** Whether the deployment has the web console, which is needed for consent. */
  readonly hasConsole: boolean;
  /** Longest lifetime of a token of `terraform login`, in hours. */
  readonly loginHours: number;
  /** Whether machines without a browser can log in. */
  readonly hasDeviceLogin: boolean;
  readonly devices: DeviceLogins;
  readonly countDeviceTry: CountDeviceTry;
  readonly clients: ReturnType<typeof openProviderClients>;
  readonly cookies: ReturnType<typeof openCookies>;
  readonly secrets: OneTimeSecrets;
  readonly sessions: ReturnType<typeof openBrowserSessions>;
  readonly sessionLimits: SessionLimits;
}
