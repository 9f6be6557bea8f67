import { authenticate } from '../../shared/access/authorize/caller.ts';
import type { Principal, UserPrincipal } from '../../shared/domain/directory/records.ts';
import { DomainError } from '../../shared/domain/errors.ts';
import { limits } from '../../shared/domain/limits.ts';
import { CONSENT_PAGE, loginRedirect, readLoginRequest } from '../../shared/domain/sign-in/login.ts';
import { type Operations, PlainDocument, Redirect } from '../../shared/http/operation.ts';
import { timestamp } from '../../shared/lib/clock.ts';
import { base58 } from '../../shared/lib/random.ts';
import type { SignInDependencies } from './dependencies.ts';
import { allowedLogin, latestLoginExpiry } from './login-token.ts';
import { problemPage } from './problem-page.ts';

/** Length of an authorization code: 251 random bits. */
const CODE_LENGTH = 43;

const REMEDY =
  'Press Ctrl-C in the terminal, and run terraform login again. If this page comes back, whoever operates this service can find the reason in its documentation.';

/**
 * Authenticates the person who decides about a login.
 * @throws DomainError 403 for the token of a team, an organization, a run or the site: they stand for no person (LOGIN-2).
 */
export const authenticatePerson = async (
  { store }: SignInDependencies,
  digest: string,
): Promise<UserPrincipal & Pick<Principal, 'token'>> => {
  const principal = await authenticate(store, digest);
  if (principal.kind === 'user') return principal;
  throw new DomainError('forbidden', 'Only a person can allow a login. Sign in with the token of a user.');
};

export const loginOperations = {
  /** `GET /oauth2/authorize`: the browser of the user arrives from the command line (LOGIN-3). */
  'oauth2.authorize': async ({ query }, { hasConsole }) => {
    if (!hasConsole) {
      const detail = 'This service has no web console, which terraform login needs.';
      const remedy = 'Create a token over the API, and store it with holdfast login.';
      return problemPage({ title: 'terraform login is not available', detail, remedy });
    }
    const request = readLoginRequest(query);
    if (typeof request === 'string') {
      return problemPage({ title: 'The login cannot continue', detail: request, remedy: REMEDY });
    }
    const { port, state, challenge } = request;
    const search = new URLSearchParams({ port: String(port), state, code_challenge: challenge });
    return new Redirect(`${CONSENT_PAGE}?${search}`);
  },

  /** `GET /oauth2/consent`: shows the caller until when a token would be valid. */
  'oauth2.show-consent': async ({ digest }, dependencies) => {
    const principal = await authenticatePerson(dependencies, digest);
    return new PlainDocument({ expires_at: timestamp(await latestLoginExpiry(dependencies, principal)) });
  },

  /** `POST /oauth2/consent`: the caller allows a token (LOGIN-4). */
  'oauth2.consent': async (request, dependencies) => {
    const principal = await authenticatePerson(dependencies, request.digest);
    const login = await allowedLogin(request, dependencies, principal);
    const { port, state, code_challenge: challenge } = request.body;
    const code = base58(CODE_LENGTH);
    await dependencies.secrets.put(
      'authorization-code',
      code,
      { ...login, port, challenge },
      limits.codeSeconds * 1_000,
    );
    return new PlainDocument({ redirect_to: `${loginRedirect(port)}?${new URLSearchParams({ code, state })}` });
  },
} satisfies Partial<Operations<'sign-in', SignInDependencies>>;
