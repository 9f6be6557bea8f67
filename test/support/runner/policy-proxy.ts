import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AuthorizedRequest, isAllowed, type PolicyStatement } from './iam-policy.ts';

/** A request, with what tests need to know besides its authorization. */
export interface RecordedRequest extends AuthorizedRequest {
  readonly isConsistent: boolean;
  /** Prefix of the sort keys of a query. */
  readonly prefix: string | undefined;
}

interface EngineResponse {
  readonly status: number;
  readonly body: Buffer | string;
}
type Interception = (request: RecordedRequest, forward: () => Promise<EngineResponse>) => Promise<EngineResponse>;

/** A proxy in front of the engine and the key service that rejects the requests that a policy does not allow. */
export interface PolicyProxy {
  readonly endpoint: string;
  /** Requests since the last call. */
  readonly requests: () => readonly RecordedRequest[];
  /** Applies a policy to the requests from now on; undefined allows all. */
  readonly enforce: (statements: readonly PolicyStatement[] | undefined) => void;
  /** Handles requests before or after they are forwarded; undefined forwards all. */
  readonly intercept: (interception: Interception | undefined) => void;
  readonly stop: () => Promise<void>;
}

interface Input {
  readonly TableName?: string;
  readonly Key?: Readonly<Record<string, { readonly S: string }>>;
  readonly ProjectionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S: string }>>;
  readonly ConsistentRead?: boolean;
  readonly KeyId?: string;
  readonly EncryptionContext?: Readonly<Record<string, string>>;
}

/** Builds the ARN of a table. */
export const tableArn = (name: string): string => `arn:aws:dynamodb:eu-central-1:000000000000:table/${name}`;

/** Condition keys of DynamoDB. The keys of the table count as attributes of a request that names them. */
const tableRequest = (operation: string, input: Input): AuthorizedRequest => {
  const names = input.ExpressionAttributeNames ?? {};
  const { ProjectionExpression: projection } = input;
  const leading = input.Key?.['pk']?.S ?? input.ExpressionAttributeValues?.[':pk']?.S;
  const attributes = [...new Set([...Object.keys(input.Key ?? {}), ...Object.values(names)])];
  return {
    action: `dynamodb:${operation}`,
    resource: tableArn(input.TableName ?? ''),
    context: {
      ...(leading !== undefined && { 'dynamodb:LeadingKeys': [leading] }),
      'dynamodb:Attributes': attributes,
      'dynamodb:Select': [projection === undefined ? 'ALL_ATTRIBUTES' : 'SPECIFIC_ATTRIBUTES'],
    },
  };
};

const keyRequest = (operation: string, { KeyId = '', EncryptionContext = {} }: Input): AuthorizedRequest => ({
  action: `kms:${operation}`,
  resource: KeyId,
  context: {
    ...Object.fromEntries(
      Object.entries(EncryptionContext).map(([key, value]) => [`kms:EncryptionContext:${key}`, [value]]),
    ),
    'kms:EncryptionContextKeys': Object.keys(EncryptionContext),
  },
});

/** Starts a proxy for DynamoDB and KMS, which it distinguishes by the target of a request. */
export const startPolicyProxy = async (engine: string, keyService: string): Promise<PolicyProxy> => {
  const forwardOnly: Interception = (_, forward) => forward();
  let seen: RecordedRequest[] = [];
  let policy: readonly PolicyStatement[] | undefined;
  let interception = forwardOnly;

  const send = ({ method, url, headers }: IncomingMessage, body: Buffer, target: string): Promise<EngineResponse> =>
    new Promise((resolve, reject) => {
      // A new connection for each request: the engine closes idle ones.
      request(`${target}${url}`, { method, headers, agent: false }, async (response) => {
        resolve({ status: response.statusCode ?? 500, body: Buffer.concat(await response.toArray()) });
      })
        .on('error', reject)
        .end(body);
    });

  const server = createServer(async (incoming, outgoing) => {
    const body = Buffer.concat(await incoming.toArray());
    const [service = '', operation = ''] = String(incoming.headers['x-amz-target']).split('.');
    const isKeyRequest = service === 'TrentService';
    const input = JSON.parse(body.toString()) as Input;
    const authorized = (isKeyRequest ? keyRequest : tableRequest)(operation, input);
    const recorded = {
      ...authorized,
      isConsistent: input.ConsistentRead === true,
      prefix: input.ExpressionAttributeValues?.[':prefix']?.S,
    };
    seen.push(recorded);
    const denied = {
      status: 400,
      body: JSON.stringify({ __type: 'AccessDeniedException', message: 'not authorized' }),
    };
    const response =
      policy !== undefined && !isAllowed(policy, authorized)
        ? denied
        : await interception(recorded, () => send(incoming, body, isKeyRequest ? keyService : engine));
    outgoing.writeHead(response.status, { 'content-type': 'application/x-amz-json-1.0' }).end(response.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => {
      const requests = seen;
      seen = [];
      return requests;
    },
    enforce: (statements) => {
      policy = statements;
    },
    intercept: (next = forwardOnly) => {
      interception = next;
    },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
