import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { DisabledProvider, SuspendedUser } from '../../shared/domain/errors.ts';
import type { IdentityProvider } from '../../shared/domain/identity-providers.ts';
import { limits } from '../../shared/domain/limits.ts';
import { IssuerError } from './get-text.ts';
import type { Problem } from './problem-page.ts';
import { CredentialError } from './provider-credentials.ts';

/** A sign-in that cannot continue. Its message is the reason in the log, without any value of the request. */
export class SignInProblem extends Error {
  override readonly name = 'SignInProblem';
  readonly problem: Problem;

  constructor(reason: string, problem: Problem) {
    super(reason);
    this.problem = problem;
  }
}

const AGAIN = 'Go back to the console, and sign in again.';
const OPERATORS = 'The operators of this deployment can mend it in its setting identityProviders';

/** Creates the problem of a provider that the deployment does not have. */
export const unknownProvider = (): SignInProblem =>
  new SignInProblem('unknown-provider', {
    title: 'There is no such identity provider',
    detail: 'This deployment has no identity provider of the name in the address.',
    remedy: 'Go back to the console, and choose one of those that its sign-in page shows.',
  });

/** Creates the problem of a path that is none of the console. */
export const foreignPath = (): SignInProblem =>
  new SignInProblem('foreign-path', {
    title: 'The address is not valid',
    detail: 'The parameter to must be a path of the console, such as /app/acme/workspaces.',
    remedy: AGAIN,
  });

/** Creates the problem of a sign-in that was used already, has expired, or never started. */
export const expiredSignIn = (): SignInProblem =>
  new SignInProblem('expired', {
    title: 'The sign-in has expired',
    detail: 'It was started more than ten minutes ago, or the page was loaded a second time.',
    remedy: AGAIN,
  });

/** Creates the problem of a sign-in that another browser started. */
export const otherBrowser = (): SignInProblem =>
  new SignInProblem('other-browser', {
    title: 'The sign-in was started in another browser',
    detail: 'A sign-in must end in the browser that started it, and the browser must accept its cookies.',
    remedy: `${AGAIN} If it happens again, allow cookies for this site.`,
  });

/** Creates the problem of a person whose claims do not suffice. */
export const missingClaim = ({ label }: IdentityProvider, claim: string, use: string): SignInProblem =>
  new SignInProblem('missing-claim', {
    title: 'The identity token lacks a claim',
    detail: `The identity token of ${label} has no text in the claim ${claim}, which is needed for ${use}.`,
    remedy: `The administrators of ${label} can add the claim to the identity token of this client. ${OPERATORS}, if another claim has it.`,
  });

/** Creates the problem of groups that an identity token cannot contain. */
export const tooManyGroups = ({ label }: IdentityProvider): SignInProblem =>
  new SignInProblem('too-many-groups', {
    title: 'The identity token does not contain your groups',
    detail: `You are in more groups than ${label} puts into a token. Nothing was changed: without them, you would lose the teams that you have.`,
    remedy: `The administrators of ${label} can limit the claim to the groups that are assigned to this application, or use roles of the application in place of groups; then groupsClaim is roles.`,
  });

/** Creates the problem of more groups than are looked up at a sign-in. */
export const moreGroupsThanUsable = ({ label }: IdentityProvider): SignInProblem =>
  new SignInProblem('too-many-groups', {
    title: 'You are in too many groups',
    detail: `The identity token of ${label} has more than ${limits.groups} groups. Nothing was changed.`,
    remedy: `The administrators of ${label} can limit the claim to the groups that this deployment needs.`,
  });

/** Creates the problem of a groups claim of another form. */
export const malformedGroups = ({ label }: IdentityProvider, claim: string): SignInProblem =>
  new SignInProblem('malformed-groups', {
    title: 'The groups have an unknown form',
    detail: `The claim ${claim} in the identity token of ${label} is not a list of texts.`,
    remedy: `The administrators of ${label} can change its form. ${OPERATORS}, if another claim has the groups.`,
  });

/** Creates the problem of a person in none of the required groups. */
export const missingGroup = ({ label }: IdentityProvider): SignInProblem =>
  new SignInProblem('missing-group', {
    title: 'You have no access to this deployment',
    detail: `Your account at ${label} is in none of the groups that may sign in here.`,
    remedy: `The administrators of ${label} can add you to one of them.`,
  });

/** Creates the problem of a sign-in at a lower level of authentication than required. */
export const otherLevel = ({ label, requiredAcr }: IdentityProvider): SignInProblem =>
  new SignInProblem('missing-acr', {
    title: 'A stronger sign-in is required',
    detail: `This deployment requires the authentication level ${requiredAcr}, which ${label} does not confirm.`,
    remedy: `Sign in again with a second factor. Otherwise the administrators of ${label} can mend it: the identity token must have the claim acr with this value.`,
  });

/** Creates the problem of an identity provider that is disabled. */
const disabled = ({ label }: IdentityProvider): SignInProblem =>
  new SignInProblem('provider-disabled', {
    title: `Nobody can sign in with ${label} now`,
    detail: 'The operators of this deployment have disabled this identity provider.',
    remedy: 'Choose another one, if the sign-in page shows any. Otherwise ask the operators for a sign-in link.',
  });

/** Creates the problem of a suspended user. */
const suspended = (): SignInProblem =>
  new SignInProblem('suspended', {
    title: 'Your account is suspended',
    detail: 'Nobody can sign in with this account until its suspension ends.',
    remedy: 'The operators of this deployment can end the suspension.',
  });

/** Creates the problem of clocks that differ. */
export const otherClock = ({ label }: IdentityProvider): SignInProblem =>
  new SignInProblem('clock', {
    title: 'Two clocks differ',
    detail: `By the clock of this service, the identity token of ${label} is not valid now. The two clocks may differ by one minute.`,
    remedy: `The administrators of ${label} can set its clock.`,
  });

const unavailable = ({ label, issuer }: IdentityProvider, reason: string): SignInProblem =>
  new SignInProblem('provider-unavailable', {
    title: `${label} does not respond as expected`,
    detail: `The configuration of the issuer ${issuer} cannot be used: ${reason}.`,
    remedy: `Try again in a minute. If it happens again, the administrators of ${label} can help. ${OPERATORS}, if the issuer is wrong.`,
  });

const refusedByProvider = ({ label }: IdentityProvider, code: string, description: string | undefined): SignInProblem =>
  new SignInProblem('refused-by-provider', {
    title: `${label} refused the sign-in`,
    detail: `Its error is ${code}${description ? `: ${description}` : '.'}`,
    remedy: `Sign in again. If it happens again, the administrators of ${label} can help.`,
  });

const refusedClient = ({ label, clientAuthentication }: IdentityProvider, code: string): SignInProblem => {
  const ways = {
    none: 'The client must be a public one, without a secret.',
    aws: 'The client must trust the tokens of the AWS account of this deployment, for its function sign-in.',
    secret: 'The secret in the SSM parameter must be the one of the client.',
  };
  return new SignInProblem('client-refused', {
    title: `${label} does not accept this deployment`,
    detail: `It rejects the authentication of the client with the error ${code}.`,
    remedy: `${ways[clientAuthentication]} The operators of this deployment and the administrators of ${label} can mend it together.`,
  });
};

const missingCredential = ({ label }: IdentityProvider, { message }: CredentialError): SignInProblem =>
  new SignInProblem('missing-credential', {
    title: 'This deployment lacks its credential',
    detail: `It could not authenticate at ${label}. ${message}.`,
    remedy: 'The operators of this deployment can mend it.',
  });

const invalidToken = ({ label }: IdentityProvider): SignInProblem =>
  new SignInProblem('invalid-token', {
    title: 'The response of the identity provider is not valid',
    detail: `The identity token of ${label} does not belong to this sign-in, or its signature, issuer or audience is wrong.`,
    remedy: `${AGAIN} If it happens again, the administrators of ${label} can compare issuer and client id with the setting identityProviders of this deployment.`,
  });

/** Error codes of the token endpoint that are about the client, not about the person (RFC 6749, 5.2). */
const clientErrors: readonly string[] = ['invalid_client', 'unauthorized_client'];

/** Returns a code or a description of an error in a form that a page can show. */
const shown = (text: unknown): string | undefined =>
  typeof text === 'string' ? text.replaceAll(/[^\x20-\x7e]/g, ' ').slice(0, 200) : undefined;

/** Returns the errors that led to an error, from the outside in. */
const causesOf = (error: unknown): Error[] =>
  error instanceof Error ? [error, ...causesOf(error.cause)].slice(0, 5) : [];

/** Codes of responses that are none of an identity provider, such as the page of a proxy. */
const unexpectedResponses: readonly (string | undefined)[] = [
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
];

/**
 * Explains an error of a sign-in to the person in front of the browser.
 * @returns undefined for an error of the service itself.
 */
export const explain = (error: unknown, provider: IdentityProvider): SignInProblem | undefined => {
  if (error instanceof SignInProblem) return error;
  if (error instanceof SuspendedUser) return suspended();
  if (error instanceof DisabledProvider) return disabled(provider);
  if (error instanceof AuthorizationResponseError) {
    return refusedByProvider(provider, shown(error.error) ?? '', shown(error.error_description));
  }
  if (error instanceof ResponseBodyError) {
    return clientErrors.includes(error.error)
      ? refusedClient(provider, error.error)
      : refusedByProvider(provider, shown(error.error) ?? '', shown(error.error_description));
  }
  const causes = causesOf(error);
  const credential = causes.find((one) => one instanceof CredentialError);
  if (credential !== undefined) return missingCredential(provider, credential);
  const outgoing = causes.find((one) => one instanceof IssuerError);
  if (outgoing !== undefined) return unavailable(provider, outgoing.message);
  if (!(error instanceof ClientError)) return undefined;
  if (unexpectedResponses.includes(error.code)) {
    return unavailable(provider, 'its token endpoint responds with something else than a token');
  }
  return error.code === 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED' ? otherClock(provider) : invalidToken(provider);
};
