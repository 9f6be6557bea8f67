import { InvokeCommand, type InvokeCommandInput, LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serve } from '../../support/local/served.ts';

const functions = {
  adder: {
    code: `export const handler = async ({ a, b }) => { if (b === undefined) throw new RangeError('b is missing'); return a + b; };`,
  },
};

const invoker = async () => {
  const served = await serve({ functions });
  const client = new LambdaClient({
    endpoint: served.origin,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  });
  onTestFinished(() => client.destroy());
  const invoke = (input: Partial<InvokeCommandInput>) =>
    client.send(new InvokeCommand({ FunctionName: 'adder', Payload: '{"a":1,"b":2}', ...input }));
  return { ...served, invoke };
};

describe('Invoke of the Lambda emulation, called by the SDK', () => {
  it('returns the result of the function', async () => {
    const { invoke } = await invoker();
    const response = await invoke({});
    expect(response.Payload?.transformToString()).toBe('3');
    expect(response).toMatchObject({ StatusCode: 200, ExecutedVersion: '$LATEST' });
    expect(response.FunctionError).toBeUndefined();
  });

  it('returns the error of the function', async () => {
    const { invoke } = await invoker();
    const response = await invoke({ Payload: '{}' });
    expect(response).toMatchObject({ StatusCode: 200, FunctionError: 'Unhandled' });
    expect(JSON.parse(response.Payload?.transformToString() ?? '')).toMatchObject({
      errorType: 'RangeError',
      errorMessage: 'b is missing',
    });
  });

  it('accepts the invocation type Event, and rejects DryRun', async () => {
    const { invoke, functions } = await invoker();
    await expect(invoke({ InvocationType: 'DryRun' })).rejects.toMatchObject({
      name: 'InvalidParameterValueException',
    });
    expect(functions.statistics()).toMatchObject([{ invocations: 0 }]);
    expect(await invoke({ InvocationType: 'Event' })).toMatchObject({ StatusCode: 202 });
    await expect.poll(() => functions.statistics()).toMatchObject([{ invocations: 1 }]);
  });

  it('rejects an unknown function, and a payload that is not JSON', async () => {
    const { invoke } = await invoker();
    await expect(invoke({ FunctionName: 'other' })).rejects.toMatchObject({
      name: 'ResourceNotFoundException',
      message: expect.stringContaining('Function not found: arn:aws:lambda'),
    });
    await expect(invoke({ Payload: '{' })).rejects.toMatchObject({ name: 'InvalidRequestContentException' });
  });
});

describe('endpoints for local programs', () => {
  const paths = ['/_local/functions', '/2015-03-31/functions/adder/invocations'];

  it('return the statistics of the functions', async () => {
    const { get } = await invoker();
    expect(await (await get('/_local/functions')).json()).toMatchObject({
      functions: [{ name: 'adder', maxBusy: 0 }],
    });
  });

  it('reject a request without a signature, or with the signature of other credentials', async () => {
    const { get, origin } = await invoker();
    const path = '/2015-03-31/functions/adder/invocations';
    expect((await get(path, { method: 'POST', body: '{"a":1,"b":2}' })).status).toBe(403);
    const credentials = { accessKeyId: 'local', secretAccessKey: 'other' };
    const stranger = new LambdaClient({ endpoint: origin, region: 'us-east-1', credentials, maxAttempts: 1 });
    onTestFinished(() => stranger.destroy());
    const outcome = stranger.send(new InvokeCommand({ FunctionName: 'adder', Payload: '{"a":1,"b":2}' }));
    await expect(outcome).rejects.toMatchObject({ $metadata: { httpStatusCode: 403 } });
  });

  it.each(paths)('reject a request to %s with an Origin header', async (path) => {
    const { get } = await invoker();
    const response = await get(path, { headers: { origin: 'http://127.0.0.1' } });
    expect([response.status, await response.json()]).toEqual([403, { message: 'Forbidden' }]);
  });

  it.each(paths)('reject a request to %s with a foreign Host header', async (path) => {
    const { sendRaw } = await invoker();
    const response = await sendRaw(`GET ${path} HTTP/1.1\r\nHost: rebound.example:80\r\nConnection: close\r\n\r\n`);
    expect(response).toMatch(/^HTTP\/1\.1 403 /);
  });
});
