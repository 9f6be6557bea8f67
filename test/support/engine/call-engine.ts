import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** The engines require a signature but do not verify it. */
const headers = {
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-date': '20260101T000000Z',
  authorization:
    'AWS4-HMAC-SHA256 Credential=local/20260101/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
};

/** Keeps the connections to the engine open, because a test file reads its stream up to thousands of times. */
const agent = new Agent({ keepAlive: true });

/**
 * Sends a request to an engine as JSON, without a client of AWS.
 *
 * @param target value of `X-Amz-Target`, such as `DynamoDB_20120810.Scan`
 * @throws Error if the engine rejects the request.
 */
export const callEngine = async <T>(endpoint: string, target: string, body: object): Promise<T> => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request(endpoint, { agent, method: 'POST', headers: { ...headers, 'x-amz-target': target } })
      .on('response', resolve)
      .on('error', reject)
      .end(JSON.stringify(body));
  });
  const content = await text(response);
  if (response.statusCode !== 200) throw new Error(`${target}: ${content}`);
  return JSON.parse(content) as T;
};
