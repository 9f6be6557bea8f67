import type { Api, ApiResponse } from '../api/api.ts';

const headers = { 'content-type': 'application/x-www-form-urlencoded' };

/** Sends a form to an endpoint of OAuth 2.0. */
export const sendForm = (
  api: Pick<Api, 'request'>,
  path: string,
  form: Readonly<Record<string, string>>,
  sourceIp = '203.0.113.7',
): Promise<ApiResponse> => api.request('POST', path, { body: new URLSearchParams(form).toString(), headers, sourceIp });

/** Begins the login of a machine without a browser. @returns the code of the machine and that of the person. */
export const beginDeviceLogin = async (
  api: Pick<Api, 'request'>,
): Promise<{ readonly device: string; readonly code: string }> => {
  const { status, body } = await sendForm(api, '/oauth2/device', { client_id: 'terraform-cli' });
  if (status !== 200) throw new Error(`The device login did not begin: ${JSON.stringify(body)}`);
  return { device: body.device_code, code: body.user_code };
};

/** Polls for the token of a device login. */
export const pollDeviceLogin = (
  api: Pick<Api, 'request'>,
  device: string,
  changes: Readonly<Record<string, string>> = {},
) =>
  sendForm(api, '/oauth2/token', {
    grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
    client_id: 'terraform-cli',
    device_code: device,
    ...changes,
  });
