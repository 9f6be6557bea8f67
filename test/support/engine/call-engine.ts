import { sendToEngine } from './engine-connection.ts';

/**
 * Sends a request to an engine as JSON, without a client of AWS.
 *
 * @param target value of `X-Amz-Target`, such as `DynamoDB_20120810.Scan`
 * @throws Error if the engine rejects the request.
 */
export const callEngine = async <T>(endpoint: string, target: string, body: object): Promise<T> => {
  const response = await sendToEngine(endpoint, target, JSON.stringify(body));
  const content = response.body.toString();
  if (response.status !== 200) throw new Error(`${target}: ${content}`);
  return JSON.parse(content) as T;
};
