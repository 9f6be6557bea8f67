import { createHash } from 'node:crypto';
import type { ApiResponse } from './api.ts';

/** Builds a state of format 4. `resources` is the number of managed resources. */
export const buildState = ({
  serial = 1,
  resources = 0,
  outputs = {},
}: {
  serial?: number;
  resources?: number;
  outputs?: object;
} = {}): Buffer =>
  Buffer.from(
    JSON.stringify(
      {
        version: 4,
        terraform_version: '1.11.4',
        serial,
        lineage: LINEAGE,
        outputs,
        resources: Array.from({ length: resources }, (_, index) => ({
          mode: 'managed',
          type: 'terraform_data',
          name: `r${index}`,
          provider: 'provider["terraform.io/builtin/terraform"]',
          instances: [{ schema_version: 0, attributes: { id: String(index) } }],
        })),
      },
      undefined,
      2,
    ),
  );

export const LINEAGE = '741c4949-60b9-5bb1-5bf8-b14f4bb14af3';

/** Computes the MD5 of a content in hexadecimal. */
export const computeMd5 = (content: Buffer): string => createHash('md5').update(content).digest('hex');

/** Builds the request body of a state version whose content is uploaded separately. */
export const stateVersionBody = (content: Buffer, attributes: object = {}) => ({
  data: {
    type: 'state-versions',
    attributes: { serial: 1, md5: computeMd5(content), lineage: LINEAGE, ...attributes },
  },
});

/** Builds the request body of a state version that includes the content. */
export const inlineStateVersionBody = (content: Buffer, attributes: object = {}) =>
  stateVersionBody(content, { state: content.toString('base64'), ...attributes });

/** Uploads a content to a URL of a response, without a token, and returns the status. */
export const upload = async (url: string, content: Buffer): Promise<number> => {
  const headers = { 'content-type': 'application/octet-stream' };
  return (await fetch(url, { method: 'PUT', body: new Uint8Array(content), headers })).status;
};

/** Reads the upload URL of the state in a response. */
export const readUploadUrl = ({ body }: ApiResponse): string => body.data.attributes['hosted-state-upload-url'];
