import { createKeyClient, reportKeyErrors } from './key-client.ts';

/**
 * Creates the function that computes an HMAC with SHA-256 under a KMS key.
 * @param keyArn ARN of the key.
 */
export const createMac = (keyArn: string): ((message: Uint8Array) => Promise<Uint8Array>) => {
  const client = createKeyClient();
  return async (message) => {
    const request = client.generateMac({ KeyId: keyArn, MacAlgorithm: 'HMAC_SHA_256', Message: message });
    const { Mac } = await reportKeyErrors(request);
    if (Mac === undefined) throw new Error('KMS returned no HMAC');
    return Mac;
  };
};
