import { apiRequest } from './request.ts';

/** Describes the request for the expiry of a token that the caller may allow (LOGIN-4). */
export const showConsent = () => apiRequest('get', '/oauth2/consent', {});

/** Request of a command line, as the address of the consent page has it. */
export interface LoginSearch {
  readonly port: number;
  readonly state: string;
  readonly code_challenge: string;
}

/** Describes the consent to a login. The response has the address of the command line, with a code. */
export const allowLogin = ({ port, state, code_challenge }: LoginSearch) =>
  apiRequest('post', '/oauth2/consent', { body: { port, state, code_challenge } });

/** Describes the request for what waits with a user code (LOGIN-9). */
export const showDevice = (code: string) => apiRequest('post', '/oauth2/device/show', { body: { user_code: code } });

/** Describes the decision of the caller about the login of a machine without a browser. */
export const decideDevice = (code: string, decision: 'allow' | 'deny') =>
  apiRequest('post', '/oauth2/device/decision', { body: { user_code: code, decision } });

/** Client of logins (LOGIN-1). */
const CLIENT = { client_id: 'terraform-cli' };

/** Describes the request that begins the login of a machine without a browser (LOGIN-7). */
export const beginDeviceLogin = () => apiRequest('post', '/oauth2/device', { body: CLIENT }, { isForm: true });

/** Describes the request for the token of a login that a person has allowed (LOGIN-8). */
export const pollDeviceLogin = (code: string) =>
  apiRequest(
    'post',
    '/oauth2/token',
    { body: { ...CLIENT, grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: code } },
    { isForm: true, secrets: ['device_code'] },
  );
