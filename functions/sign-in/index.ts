import { createHandler } from '../../shared/http/stack.ts';
import { now } from '../../shared/lib/clock.ts';
import { openDependencies } from '../../shared/runtime/dependencies.ts';
import { withDirectory } from '../../shared/runtime/with-directory.ts';
import { openRefusedExchanges } from '../../shared/store/directory/workload-identities/refused-exchanges.ts';
import { tokenExchange, tokenRevocation, workloadIdentityTest } from '../../shared/validators/compiled/bodies.js';
import { openExamination } from './examine-token.ts';
import { exchangeOperations } from './exchange.ts';
import { openIssuerKeys } from './issuer-keys.ts';
import { testOperations } from './test-token.ts';

const dependencies = withDirectory(openDependencies('sign-in'));

/** Lambda handler of the endpoints of OAuth 2.0 and of tests of identity tokens. It alone sends requests to issuers. */
export const handler = createHandler(
  'sign-in',
  { ...exchangeOperations, ...testOperations },
  {
    ...dependencies,
    examine: openExamination(openIssuerKeys(now), now),
    recordRefusal: openRefusedExchanges(dependencies.database, now),
    validators: { tokenExchange, tokenRevocation, workloadIdentityTest },
  },
);
