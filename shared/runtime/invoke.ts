import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';

/**
 * Invokes another function of the deployment, and waits for what it answers.
 * @throws Error when it failed, or could not be invoked.
 */
export type Invoke = (functionName: string, event: object) => Promise<unknown>;

/** @param milliseconds after which the answer is no longer waited for. */
export const openInvoke = (milliseconds?: number): Invoke => {
  const client = new LambdaClient({ maxAttempts: 3 });
  return async (functionName, event) => {
    const command = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(event) });
    const abortSignal = milliseconds === undefined ? {} : { abortSignal: AbortSignal.timeout(milliseconds) };
    const { Payload, FunctionError } = await client.send(command, abortSignal);
    const answer: unknown = JSON.parse(Buffer.from(Payload ?? []).toString() || 'null');
    if (FunctionError === undefined) return answer;
    throw new Error(`${functionName} failed: ${(answer as { errorMessage?: string } | null)?.errorMessage}`);
  };
};
