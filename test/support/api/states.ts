import { createHash } from 'node:crypto';
import type { ApiResponse } from './api.ts';

/** A state of format 4 with so many managed resources. */
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

export const computeMd5 = (content: Buffer): string => createHash('md5').update(content).digest('hex');

/** The body that creates a state version of this content. */
export const stateVersionBody = (content: Buffer, attributes: object = {}) => ({
  data: {
    type: 'state-versions',
    attributes: { serial: 1, md5: computeMd5(content), lineage: LINEAGE, ...attributes },
  },
});

/** The same with the content as a part of it. */
export const inlineStateVersionBody = (content: Buffer, attributes: object = {}) =>
  stateVersionBody(content, { state: content.toString('base64'), ...attributes });

/** What a client does with a URL of an answer: it sends no token. */
export const upload = async (url: string, content: Buffer): Promise<number> => {
  const headers = { 'content-type': 'application/octet-stream' };
  return (await fetch(url, { method: 'PUT', body: new Uint8Array(content), headers })).status;
};

export const readUploadUrl = ({ body }: ApiResponse): string => body.data.attributes['hosted-state-upload-url'];
