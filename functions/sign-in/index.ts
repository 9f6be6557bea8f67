import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { readEnvironment } from '../../shared/runtime/environment.ts';
import { withDirectory } from '../../shared/runtime/with-directory.ts';
import { openRefusedExchanges } from '../../shared/store/directory/workload-identities/refused-exchanges.ts';
import { openOneTimeSecrets } from '../../shared/store/sign-in/one-time-secrets.ts';
import {
  loginConsent,
  tokenGrant,
  tokenRevocation,
  workloadIdentityTest,
} from '../../shared/validators/compiled/bodies.js';
import { openExamination } from './examine-token.ts';
import { revocationOperations } from './exchange.ts';
import { providerOperations } from './identity-providers.ts';
import { openIssuerKeys } from './issuer-keys.ts';
import { loginOperations } from './login.ts';
import { testOperations } from './test-token.ts';
import { tokenOperations } from './token.ts';

const dependencies = withDirectory(openDependencies('sign-in'));
const {
  PUBLIC_URL: origin,
  IDENTITY_PROVIDERS: providers,
  CONSOLE: hasConsole,
  LOGIN_TOKEN_HOURS: loginHours,
} = readEnvironment('sign-in');

/** Lambda handler of sign-in, of OAuth 2.0 and of tests of identity tokens. It alone sends requests to issuers. */
export const handler = createHandler(
  'sign-in',
  { ...tokenOperations, ...revocationOperations, ...loginOperations, ...testOperations, ...providerOperations },
  {
    ...dependencies,
    examine: openExamination(openIssuerKeys(now), now),
    origin,
    providers,
    secrets: openOneTimeSecrets(dependencies.database, now),
    hasConsole,
    loginHours,
    recordRefusal: openRefusedExchanges(dependencies.database, now),
    validators: { loginConsent, tokenGrant, tokenRevocation, workloadIdentityTest },
  },
);
