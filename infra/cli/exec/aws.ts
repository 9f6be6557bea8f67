import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { Sha256 } from '@smithy/core/checksum';
import { loadConfig, NODE_REGION_CONFIG_FILE_OPTIONS, NODE_REGION_CONFIG_OPTIONS } from '@smithy/core/config';
import { HttpRequest } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import type { Io } from '../io.ts';

const services = {
  ssm: { target: 'AmazonSSM', endpoint: 'AWS_ENDPOINT_URL_SSM' },
  secretsmanager: { target: 'secretsmanager', endpoint: 'AWS_ENDPOINT_URL_SECRETS_MANAGER' },
} as const;

const TIMEOUT_MILLISECONDS = 10_000;

/** Calls an operation of SSM or Secrets Manager. @throws an Error with the reason of AWS. */
export type CallAws = (
  service: keyof typeof services,
  region: string,
  operation: string,
  input: object,
) => Promise<Readonly<Record<string, unknown>>>;

/**
 * Opens calls with the credentials of the AWS configuration of the caller. Two operations do not need two more clients of
 * the AWS SDK, each of which is larger than the command line.
 */
export const openAws = ({ env, fetch, signal }: Io): CallAws => {
  const credentials = defaultProvider();
  return async (service, region, operation, input) => {
    const { target, endpoint } = services[service];
    const domain = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
    const url = new URL(env[endpoint] || `https://${service}.${region}.${domain}`);
    const body = JSON.stringify(input);
    const signer = new SignatureV4({ service, region, credentials, sha256: Sha256 });
    const { headers } = await signer.sign(
      new HttpRequest({
        method: 'POST',
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        headers: {
          host: url.host,
          'content-type': 'application/x-amz-json-1.1',
          'x-amz-target': `${target}.${operation}`,
        },
        body,
      }),
    );
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MILLISECONDS)]);
    const response = await fetch(url, { method: 'POST', headers, body, signal: limit });
    const output = (await response.json()) as Readonly<Record<string, unknown>>;
    if (response.ok) return output;
    const type = String(output['__type'] ?? response.status).replace(/^.*#/, '');
    throw new Error(`${type}: ${output['message'] ?? output['Message'] ?? ''}`);
  };
};

/** Returns the region of the AWS configuration of the caller. @throws an Error if there is none. */
export const defaultRegion = loadConfig(NODE_REGION_CONFIG_OPTIONS, NODE_REGION_CONFIG_FILE_OPTIONS);
