import { PlainError } from '../../command-line.ts';
import {
  archiveArn,
  bucketArn,
  busArn,
  functionArn,
  LOCAL_ACCOUNT,
  LOCAL_REGION,
  localArn,
  queueArn,
  queueUrl,
  streamArn,
} from '../common/arns.ts';

export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** The parts of a CloudFormation template that the local service reads. */
export interface Template {
  readonly Resources?: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<
    Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>
  >;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
}

/** A stack of the cloud assembly: its template, and the folders of its assets by their object keys. */
export interface Stack {
  readonly name: string;
  readonly template: Template;
  readonly assets: ReadonlyMap<string, string>;
}

export interface LocatedResource extends Resource {
  readonly stack: Stack;
  readonly id: string;
}

/** The property with the name of a resource. Without it, the name is generated, as CloudFormation does. */
const nameProperty: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::Events::Archive': 'ArchiveName',
  'AWS::Events::EventBus': 'Name',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SQS::Queue': 'QueueName',
};

/** Builders of ARNs by type, for types whose ARN contains more than the service and the name. */
const arns: Readonly<Record<string, (name: string) => string>> = {
  'AWS::Lambda::Function': functionArn,
  'AWS::DynamoDB::GlobalTable': (name) => localArn('dynamodb', `table/${name}`),
  'AWS::Events::Archive': archiveArn,
  'AWS::Events::EventBus': busArn,
  'AWS::Events::Rule': (name) => localArn('events', `rule/${name}`),
  'AWS::KMS::Key': (name) => localArn('kms', `key/${name}`),
  'AWS::SQS::Queue': queueArn,
  'AWS::S3::Bucket': bucketArn,
};

type Scalar = string | number | boolean;

/**
 * Resolves the values of templates as CloudFormation does, with local names: references, attributes, joins, pseudo
 * parameters, and exports of other stacks.
 */
export class Resolver {
  readonly #exports = new Map<string, () => unknown>();

  constructor(stacks: readonly Stack[]) {
    for (const stack of stacks)
      for (const { Value, Export } of Object.values(stack.template.Outputs ?? {}))
        if (Export) this.#exports.set(this.text(stack, Export.Name), () => this.value(stack, Value));
  }

  /** Returns the local name of a resource: the name in the template, or else the stack name and the logical id. */
  physicalName(stack: Stack, logicalId: string): string {
    const resource = stack.template.Resources?.[logicalId];
    if (!resource) throw new PlainError(`The template of ${stack.name} refers to ${logicalId}, which is not in it`);
    const explicitName = resource.Properties?.[nameProperty[resource.Type] ?? ''];
    if (explicitName !== undefined) return this.text(stack, explicitName);
    const generatedName = `${stack.name}-${logicalId}`;
    return resource.Type === 'AWS::S3::Bucket' ? generatedName.toLowerCase() : generatedName;
  }

  /** Resolves a property to text. @throws PlainError when the value is not a string, a number or a boolean. */
  text(stack: Stack, value: unknown): string {
    const found = this.value(stack, value);
    if (!isScalar(found)) throw new PlainError(`The template of ${stack.name} has no text in ${JSON.stringify(value)}`);
    return String(found);
  }

  /** Resolves a value of any type. Elements with the value `AWS::NoValue` are removed from objects and lists. */
  value(stack: Stack, value: unknown): unknown {
    if (Array.isArray(value)) return value.map((each) => this.value(stack, each)).filter((each) => each !== undefined);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [first] = entries;
    if (entries.length === 1 && first && (first[0] === 'Ref' || first[0].startsWith('Fn::')))
      return this.#intrinsic(stack, first[0], first[1]);
    return Object.fromEntries(
      entries.map(([key, each]) => [key, this.value(stack, each)]).filter(([, each]) => each !== undefined),
    );
  }

  #intrinsic(stack: Stack, name: string, argument: unknown): unknown {
    switch (name) {
      case 'Ref':
        return this.#reference(stack, String(argument));
      case 'Fn::GetAtt':
        return this.#attribute(stack, typeof argument === 'string' ? argument.split('.') : (argument as string[]));
      case 'Fn::Join': {
        const [separator, parts] = argument as [string, unknown];
        return (this.value(stack, parts) as Scalar[]).join(separator);
      }
      case 'Fn::ImportValue':
        return this.#import(stack, this.text(stack, argument));
      default:
        throw new PlainError(`The template of ${stack.name} uses ${name}, which the local service does not support`);
    }
  }

  #reference(stack: Stack, id: string): unknown {
    if (id.startsWith('AWS::')) return this.#pseudo(stack, id);
    const parameter = stack.template.Parameters?.[id];
    if (!parameter) {
      const name = this.physicalName(stack, id);
      return stack.template.Resources?.[id]?.Type === 'AWS::SQS::Queue' ? queueUrl(name) : name;
    }
    if (parameter.Default === undefined)
      throw new PlainError(`The parameter ${id} of ${stack.name} has no default value`);
    return parameter.Default;
  }

  #pseudo(stack: Stack, id: string): string | undefined {
    const values: Readonly<Record<string, string | undefined>> = {
      'AWS::AccountId': LOCAL_ACCOUNT,
      'AWS::NoValue': undefined,
      'AWS::Partition': 'aws',
      'AWS::Region': LOCAL_REGION,
    };
    if (!(id in values))
      throw new PlainError(`The template of ${stack.name} uses ${id}, which the local service does not support`);
    return values[id];
  }

  #attribute(stack: Stack, [id = '', ...path]: readonly string[]): string {
    const name = this.physicalName(stack, id);
    const type = stack.template.Resources?.[id]?.Type ?? '';
    const attribute = path.join('.');
    if (attribute === 'Arn') return arns[type]?.(name) ?? localArn((type.split('::')[1] ?? '').toLowerCase(), name);
    if (attribute === 'StreamArn') return streamArn(name);
    if (attribute === nameProperty[type]) return name;
    // The local service passes its own origin to the functions.
    if (attribute === 'ApiEndpoint') return `https://${name}.invalid`;
    throw new PlainError(
      `The template of ${stack.name} uses ${id}.${attribute}, which the local service does not support`,
    );
  }

  #import(stack: Stack, name: string): unknown {
    const exported = this.#exports.get(name);
    if (!exported) throw new PlainError(`${stack.name} imports ${name}, which no stack of the assembly exports`);
    return exported();
  }
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
