import type { IncomingMessage } from 'node:http';
import { AwsJson1_0Protocol } from '@aws-sdk/core/protocols';
import { marshall } from '@aws-sdk/util-dynamodb';
import { HttpRequest } from '@smithy/core/protocols';
import { NormalizedSchema } from '@smithy/core/schema';
import { generateIdempotencyToken } from '@smithy/core/serde';
import { fromAttributeValue, mapValues, toAttributeValue, UnusualValue } from './attribute-values.ts';
import { marshallOptions } from './marshall-options.ts';

// biome-ignore lint/suspicious/noExplicitAny: inputs, outputs and attribute values of every operation.
type Convert = (value: any) => any;

/**
 * Creates the function that converts the attribute values of a structure. The SDK's schema of the structure says where
 * they are.
 */
const createConverter = (schema: NormalizedSchema, convert: Convert): Convert | undefined => {
  if (schema.getName(true) === 'com.amazonaws.dynamodb#AttributeValue') return convert;
  if (schema.isListSchema() || schema.isMapSchema()) {
    const each = createConverter(schema.getValueSchema(), convert);
    return each && ((values) => (Array.isArray(values) ? values.map(each) : mapValues(values, each)));
  }
  if (!schema.isStructSchema()) return undefined;
  const members = [...schema.structIterator()].flatMap(([name, member]): [string, Convert][] => {
    const converter = createConverter(member, convert);
    return converter ? [[name, converter]] : [];
  });
  if (members.length === 0) return undefined;
  return (structure) => {
    const converted = { ...structure };
    for (const [name, converter] of members) {
      if (structure[name] !== undefined) converted[name] = converter(structure[name]);
    }
    return converted;
  };
};

type SdkRequest = Awaited<ReturnType<AwsJson1_0Protocol['serializeRequest']>>;

/** Conversions of one operation. */
interface Conversions {
  readonly toJson: Convert;
  /** Marshalls any value that the document client accepts, for the serializer of the SDK. */
  readonly marshall: Convert;
  readonly fromJson: Convert;
  /** Member of the input that the SDK fills in if it is absent, so that DynamoDB recognizes a repeated transaction. */
  readonly idempotencyToken: string | undefined;
  /** Request of the SDK for an empty input. Requests of an operation differ in the body only. */
  request?: SdkRequest;
}

type Operation = Parameters<AwsJson1_0Protocol['serializeRequest']>[0];

const copy: Convert = (structure) => ({ ...structure });

const createConversions = ({ input, output }: Operation): Conversions => {
  const [request, response] = [NormalizedSchema.of(input), NormalizedSchema.of(output)];
  return {
    toJson: createConverter(request, toAttributeValue) ?? copy,
    marshall: createConverter(request, (value) => marshall(value, marshallOptions)) ?? copy,
    fromJson: createConverter(response, fromAttributeValue) ?? copy,
    idempotencyToken: [...request.structIterator()].find(([, member]) => member.isIdempotencyToken())?.[0],
  };
};

const collect = (body: IncomingMessage): Promise<string> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    body.on('data', (chunk: Buffer) => chunks.push(chunk));
    body.on('end', () => resolve(Buffer.concat(chunks).toString()));
    body.on('error', reject);
  });

/**
 * Protocol of DynamoDB that reads and writes plain values: it marshalls an input while it writes the request, and
 * converts an output back while it reads the response. Errors and values in an unusual form are left to the SDK.
 */
export class LeanProtocol extends AwsJson1_0Protocol {
  readonly #conversions = new Map<string, Conversions>();

  #conversionsOf(operation: Operation): Conversions {
    const known = this.#conversions.get(operation.name);
    if (known) return known;
    const created = createConversions(operation);
    this.#conversions.set(operation.name, created);
    return created;
  }

  override async serializeRequest(...[operation, input, context]: Parameters<AwsJson1_0Protocol['serializeRequest']>) {
    const conversions = this.#conversionsOf(operation);
    const { toJson, marshall, idempotencyToken } = conversions;
    try {
      const json = toJson(input);
      if (idempotencyToken !== undefined) json[idempotencyToken] ??= generateIdempotencyToken();
      const request =
        conversions.request ?? (await super.serializeRequest({ ...operation, input: 'unit' }, {}, context));
      conversions.request = request;
      return new HttpRequest({ ...request, headers: { ...request.headers }, body: JSON.stringify(json) });
    } catch (error) {
      if (!(error instanceof UnusualValue)) throw error;
      return super.serializeRequest(operation, marshall(input), context);
    }
  }

  override async deserializeResponse<Output extends { $metadata: object }>(
    ...[operation, context, response]: Parameters<AwsJson1_0Protocol['deserializeResponse']>
  ): Promise<Output> {
    if (this.isErrorResponse(response.statusCode)) return super.deserializeResponse(operation, context, response);
    const body = await collect(response.body);
    const output = this.#conversionsOf(operation).fromJson(JSON.parse(body || '{}') ?? {});
    output.$metadata = this.deserializeMetadata(response);
    return output;
  }
}
