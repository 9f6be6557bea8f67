import { mintToken, newToken, readToken } from '../../shared/access/credentials.ts';
import type { RequestContext } from '../../shared/domain/changes/change-context.ts';
import type { RefusedExchange } from '../../shared/domain/changes/change-records.ts';
import { cutText } from '../../shared/domain/cut-text.ts';
import type { WorkloadIdentity } from '../../shared/domain/directory/records.ts';
import { longestLifetime } from '../../shared/domain/directory/token-ttl-policies.ts';
import { DomainError, isNotFound, OAuthError } from '../../shared/domain/errors.ts';
import { limits } from '../../shared/domain/limits.ts';
import type { PresentedToken } from '../../shared/domain/workload-identities/presented-token.ts';
import { addressBlock } from '../../shared/gate/failure-limit.ts';
import { type OperationRequest, type Operations, PlainDocument } from '../../shared/http/operation.ts';
import { now } from '../../shared/lib/clock.ts';
import { messages } from '../../shared/logging/log.ts';
import type { SignInDependencies } from './dependencies.ts';

const TYPE = 'urn:ietf:params:oauth:token-type:';
const SUBJECT_TYPES: readonly string[] = [`${TYPE}id_token`, `${TYPE}jwt`];
const ACCESS_TOKEN = `${TYPE}access_token`;

const MINUTE = 60_000;

/** Creates the one error of all refused exchanges (WI-9): it does not tell whether the workload identity exists. */
const refused = (): OAuthError =>
  new OAuthError(
    'invalid_grant',
    'The identity token was not exchanged. Owners of the organization find the reason in its audit trail.',
  );

/** Reads the form of an exchange. @throws OAuthError for a parameter that is missing or not supported. */
const readExchange = (form: OperationRequest<'oauth2.token'>['body']) => {
  const { client_id: id, subject_token: token, subject_token_type: type } = form;
  if (id === undefined) throw new OAuthError('invalid_request', 'client_id must be the id of a workload identity');
  if (token === undefined) throw new OAuthError('invalid_request', 'subject_token must be the identity token');
  if (type === undefined || !SUBJECT_TYPES.includes(type)) {
    throw new OAuthError('invalid_request', `subject_token_type must be one of: ${SUBJECT_TYPES.join(', ')}`);
  }
  if ((form.requested_token_type ?? ACCESS_TOKEN) !== ACCESS_TOKEN) {
    throw new OAuthError('invalid_request', `requested_token_type must be ${ACCESS_TOKEN}`);
  }
  return { id, token };
};

/** Records why an exchange is refused. A record that fails is logged, and changes nothing about the response. */
const recordRefusal = async (
  { recordRefusal: record, logger }: SignInDependencies,
  request: RequestContext,
  identity: WorkloadIdentity,
  reason: RefusedExchange,
): Promise<void> => {
  try {
    await record(request, identity, reason);
  } catch (error) {
    logger.warn(messages.REJECTION_UNRECORDED, { requestId: request.id, error: error as Error });
  }
};

/**
 * Creates the token of a pipeline.
 * @param lifetime in milliseconds.
 * @returns the token; undefined if the workload identity or its team was changed or deleted meanwhile.
 */
const issue = async (
  { directory }: Pick<SignInDependencies, 'directory'>,
  request: RequestContext,
  identity: WorkloadIdentity,
  presented: PresentedToken,
  lifetime: number,
): Promise<string | undefined> => {
  const text = mintToken('workloadIdentity');
  const token = newToken(request, text, {
    description: presented.subject && cutText(presented.subject, limits.recordDescription),
    expiresAt: now() + lifetime,
  });
  try {
    await directory.tokens.create(request, { kind: 'workloadIdentity', identity, presented }, token);
    return text;
  } catch (error) {
    const isChanged = error instanceof DomainError && (error.code === 'conflict' || isNotFound(error));
    if (!isChanged) throw error;
    return undefined;
  }
};

const TOO_MANY: RefusedExchange = {
  reason: 'too-many-failures',
  message: `${limits.failedExchanges} exchanges of one address failed within a minute. Further ones are refused for seconds, also valid ones`,
};

/**
 * Changes the identity token of a pipeline for a token that acts as a team (WI-8). An address with too many failures is
 * refused before anything is read, whether the workload identity exists or not (WI-14).
 * @throws OAuthError
 */
export const exchangeToken = async (
  { contextFor, body, address }: OperationRequest<'oauth2.token'>,
  dependencies: SignInDependencies,
): Promise<PlainDocument> => {
  const { id, token } = readExchange(body);
  const { exchangeFailures: failures } = dependencies;
  const client = `${id} ${addressBlock(address)}`;
  if (failures.wait(client, now()) > 0) throw refused();
  const identity = await dependencies.directory.records.findById('workloadIdentity', id, true);
  if (identity === undefined) {
    failures.count(client, now());
    throw refused();
  }
  const request = contextFor({ principal: { kind: 'workload-identity', id: identity.id, name: identity.name } });
  const refuse = async (reason: RefusedExchange): Promise<never> => {
    failures.count(client, now());
    await recordRefusal(dependencies, request, identity, reason);
    if (failures.wait(client, now()) > 0) await recordRefusal(dependencies, request, identity, TOO_MANY);
    throw refused();
  };
  if (!identity.enabled) return refuse({ reason: 'disabled', message: 'The workload identity is disabled' });
  const { refusal, presented } = await dependencies.examine(identity, token);
  if (refusal !== undefined || presented === undefined) {
    return refuse(refusal ?? { reason: 'malformed-token', message: 'The token could not be checked' });
  }
  const organization = await dependencies.store.organizations.find(identity.organization, true);
  if (organization === undefined) throw refused();
  const wanted = identity.lifetimeMinutes * MINUTE;
  const lifetime = Math.min(wanted, longestLifetime(organization, 'team') ?? wanted);
  const text = await issue(dependencies, request, identity, presented, lifetime);
  if (text === undefined) {
    const message = 'The workload identity or its team was changed during the exchange';
    return refuse({ reason: 'changed-meanwhile', message, presented });
  }
  return new PlainDocument({
    access_token: text,
    issued_token_type: ACCESS_TOKEN,
    token_type: 'Bearer',
    expires_in: Math.floor(lifetime / 1_000),
  });
};

export const revocationOperations = {
  /** `POST /oauth2/revoke`: ends the token of a pipeline (WI-12). It succeeds for a token that is unknown (RFC 7009). */
  'oauth2.revoke': async ({ contextFor, body }, { store, directory }) => {
    const digest = readToken(body.token);
    const found = digest === undefined ? undefined : await store.identities.findToken(digest, true);
    if (digest === undefined || found === undefined) return new PlainDocument({});
    const { principal } = found;
    if (principal.kind !== 'team' || principal.workload === undefined || principal.token === undefined) {
      throw new OAuthError('unsupported_token_type', 'Only tokens of workload identities can be revoked here');
    }
    try {
      await directory.tokens.revoke(contextFor({ principal }), principal.token);
    } catch (error) {
      // Another request has revoked it.
      if (!isNotFound(error)) throw error;
    }
    store.identities.forgetToken(digest);
    return new PlainDocument({});
  },
} satisfies Partial<Operations<'sign-in', SignInDependencies>>;
