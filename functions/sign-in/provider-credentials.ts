import { type ClientAuth, ClientSecretBasic, ClientSecretPost, None } from 'openid-client';
import type { IdentityProvider } from '../../shared/domain/identity-providers.ts';
import type { Clock } from '../../shared/lib/clock.ts';
import type { SendSigned } from '../../shared/lib/signed-request.ts';
import { openKept } from './kept.ts';

/** Time limit of a request to AWS, in milliseconds. */
const TIME_LIMIT = 2_000;
/** Time for which a secret is kept, in milliseconds. A new one is in use after it. */
const KEPT = 300_000;
/** Lifetime of a token of AWS, in seconds: the shortest possible. */
const TOKEN_SECONDS = 60;

/** An error of AWS, for the operators of the deployment. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError';
}

/** Services of AWS that have credentials for identity providers. */
interface AwsServices {
  readonly ssm: SendSigned;
  readonly sts: SendSigned;
}

const readSecret = async ({ ssm }: AwsServices, name: string): Promise<string> => {
  const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameter' };
  const body = JSON.stringify({ Name: name, WithDecryption: true });
  try {
    const { content } = await ssm({ method: 'POST', host: 'ssm', path: '/', headers, body }, TIME_LIMIT);
    return String(JSON.parse(content.toString()).Parameter.Value);
  } catch (cause) {
    throw new CredentialError(`The parameter ${name} cannot be read`, { cause });
  }
};

/** Gets a token of AWS for an identity provider (`GetWebIdentityToken`). */
const getToken = async ({ sts }: AwsServices, audience: string): Promise<string> => {
  const form = {
    Action: 'GetWebIdentityToken',
    Version: '2011-06-15',
    'Audience.member.1': audience,
    SigningAlgorithm: 'RS256',
    DurationSeconds: String(TOKEN_SECONDS),
  };
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams(form).toString();
  try {
    const { content } = await sts({ method: 'POST', host: 'sts', path: '/', headers, body }, TIME_LIMIT);
    const [, token] = /<WebIdentityToken>([\w.-]+)<\/WebIdentityToken>/.exec(content.toString()) ?? [];
    if (token === undefined) throw new TypeError('The response has no token');
    return token;
  } catch (cause) {
    throw new CredentialError('AWS issues no token: outbound identity federation may be off in the account', { cause });
  }
};

/** Creates the authentication of the service at the token endpoint of an identity provider. */
export type Authenticate = (provider: IdentityProvider) => ClientAuth;

/** Opens the authentication at identity providers (SIGNIN-8). Secrets are kept for five minutes. */
export const openProviderCredentials = (services: AwsServices, clock: Clock): Authenticate => {
  const secrets = openKept<string>(KEPT, clock);
  return ({ issuer, clientAuthentication, secretParameter = '' }) => {
    if (clientAuthentication === 'secret')
      return async (server, client, body, headers) => {
        const secret = await secrets.find(secretParameter, () => readSecret(services, secretParameter));
        const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
        const auth = methods.includes('client_secret_basic') ? ClientSecretBasic(secret) : ClientSecretPost(secret);
        await auth(server, client, body, headers);
      };
    if (clientAuthentication === 'aws')
      return async (_, client, body) => {
        body.set('client_id', client.client_id);
        body.set('client_assertion_type', 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer');
        body.set('client_assertion', await getToken(services, issuer));
      };
    return None();
  };
};
