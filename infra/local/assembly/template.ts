import { PlainError } from '../gateway/plain-error.ts';

/** One resource of a CloudFormation template. */
export interface Resource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** The parts of a CloudFormation template that matter here. */
export interface Template {
  readonly Resources?: Readonly<Record<string, Resource>>;
  readonly Outputs?: Readonly<
    Record<string, { readonly Value: unknown; readonly Export?: { readonly Name: unknown } }>
  >;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
}

/** A stack of the cloud assembly: its template, and the folder behind the object key of each of its assets. */
export interface Stack {
  readonly name: string;
  readonly template: Template;
  readonly assets: ReadonlyMap<string, string>;
}

/** A resource and where it stands. */
export interface Located extends Resource {
  readonly stack: Stack;
  readonly id: string;
}

export const LOCAL_REGION = 'us-east-1';
export const LOCAL_ACCOUNT = '000000000000';

const arnOf = (service: string, rest: string): string => `arn:aws:${service}:${LOCAL_REGION}:${LOCAL_ACCOUNT}:${rest}`;

export const functionArn = (name: string): string => arnOf('lambda', `function:${name}`);
export const archiveArn = (name: string): string => arnOf('events', `archive/${name}`);
export const replayArn = (name: string): string => arnOf('events', `replay/${name}`);
export const busArn = (name: string): string => arnOf('events', `event-bus/${name}`);
export const queueArn = (name: string): string => arnOf('sqs', name);
/** There is one stream for each table here, and its name does not change. */
export const streamArn = (table: string): string => arnOf('dynamodb', `table/${table}/stream/local`);
/** Stands in URLs of queues for the server that has them, as its port is not known when an assembly is read. */
const QUEUES_ORIGIN = 'http://queues.invalid';
export const queueUrl = (name: string, origin = QUEUES_ORIGIN): string => `${origin}/${LOCAL_ACCOUNT}/${name}`;
/** Clients call the very URL that a queue has, whatever endpoint their environment names. */
export const withQueuesAt = (origin: string, text: string): string =>
  text.startsWith(`${QUEUES_ORIGIN}/`) ? origin + text.slice(QUEUES_ORIGIN.length) : text;

/** The property that names a resource; CloudFormation makes up a name where it is absent, and so does `nameOf`. */
const nameProperty: Readonly<Record<string, string>> = {
  'AWS::DynamoDB::GlobalTable': 'TableName',
  'AWS::DynamoDB::Table': 'TableName',
  'AWS::Events::Archive': 'ArchiveName',
  'AWS::Events::EventBus': 'Name',
  'AWS::Lambda::Function': 'FunctionName',
  'AWS::Logs::LogGroup': 'LogGroupName',
  'AWS::S3::Bucket': 'BucketName',
  'AWS::SQS::Queue': 'QueueName',
};

/** ARNs of resources on this computer, by type, where they are not made of the service and the name alone. */
const arns: Readonly<Record<string, (name: string) => string>> = {
  'AWS::Lambda::Function': functionArn,
  'AWS::DynamoDB::GlobalTable': (name) => arnOf('dynamodb', `table/${name}`),
  'AWS::DynamoDB::Table': (name) => arnOf('dynamodb', `table/${name}`),
  'AWS::Events::Archive': archiveArn,
  'AWS::Events::EventBus': busArn,
  'AWS::Events::Rule': (name) => arnOf('events', `rule/${name}`),
  'AWS::KMS::Key': (name) => arnOf('kms', `key/${name}`),
  'AWS::SQS::Queue': queueArn,
  'AWS::S3::Bucket': (name) => `arn:aws:s3:::${name}`,
};

type Scalar = string | number | boolean;

/**
 * Gives the values that CloudFormation would give, with local names in place of physical ones: references, attributes,
 * joins, substitutions, pseudo parameters, and the exports through which stacks use each other.
 */
export class Resolver {
  readonly #exports = new Map<string, () => unknown>();

  constructor(stacks: readonly Stack[]) {
    for (const stack of stacks)
      for (const { Value, Export } of Object.values(stack.template.Outputs ?? {}))
        if (Export) this.#exports.set(this.text(stack, Export.Name), () => this.value(stack, Value));
  }

  /** The local name of a resource: the one that the template gives, else one made of the stack and the logical id. */
  nameOf(stack: Stack, logicalId: string): string {
    const resource = stack.template.Resources?.[logicalId];
    if (!resource) throw new PlainError(`The template of ${stack.name} refers to ${logicalId}, which is not in it`);
    const given = resource.Properties?.[nameProperty[resource.Type] ?? ''];
    if (given !== undefined) return this.text(stack, given);
    const made = `${stack.name}-${logicalId}`;
    return resource.Type === 'AWS::S3::Bucket' ? made.toLowerCase() : made;
  }

  /** A property that must come out as text. */
  text(stack: Stack, value: unknown): string {
    const found = this.value(stack, value);
    if (!isScalar(found)) throw new PlainError(`The template of ${stack.name} has no text in ${JSON.stringify(value)}`);
    return String(found);
  }

  /** A whole value; what is `AWS::NoValue` is left out of the object or list that holds it. */
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
      case 'Fn::Select': {
        const [index, list] = argument as [Scalar, unknown];
        return (this.value(stack, list) as unknown[])[Number(index)];
      }
      case 'Fn::Split': {
        const [separator, text] = argument as [string, unknown];
        return this.text(stack, text).split(separator);
      }
      case 'Fn::Sub':
        return this.#substitute(stack, argument);
      case 'Fn::ImportValue':
        return this.#import(stack, this.text(stack, argument));
      default:
        throw new PlainError(`The template of ${stack.name} uses ${name}, which this computer cannot resolve`);
    }
  }

  #reference(stack: Stack, id: string): unknown {
    if (id.startsWith('AWS::')) return this.#pseudo(stack, id);
    const parameter = stack.template.Parameters?.[id];
    if (!parameter) {
      const name = this.nameOf(stack, id);
      return stack.template.Resources?.[id]?.Type === 'AWS::SQS::Queue' ? queueUrl(name) : name;
    }
    if (parameter.Default === undefined)
      throw new PlainError(`The parameter ${id} of ${stack.name} has no default, so it has no value here`);
    return parameter.Default;
  }

  #pseudo(stack: Stack, id: string): string | undefined {
    const values: Readonly<Record<string, string | undefined>> = {
      'AWS::AccountId': LOCAL_ACCOUNT,
      'AWS::NoValue': undefined,
      'AWS::Partition': 'aws',
      'AWS::Region': LOCAL_REGION,
      'AWS::StackId': `arn:aws:cloudformation:${LOCAL_REGION}:${LOCAL_ACCOUNT}:stack/${stack.name}/local`,
      'AWS::StackName': stack.name,
      'AWS::URLSuffix': 'amazonaws.com',
    };
    if (!(id in values)) throw new PlainError(`The template of ${stack.name} uses ${id}, which has no value here`);
    return values[id];
  }

  #attribute(stack: Stack, [id = '', ...path]: readonly string[]): string {
    const name = this.nameOf(stack, id);
    const type = stack.template.Resources?.[id]?.Type ?? '';
    const attribute = path.join('.');
    if (attribute === 'Arn') return arns[type]?.(name) ?? arnOf((type.split('::')[1] ?? '').toLowerCase(), name);
    if (attribute === 'StreamArn') return streamArn(name);
    if (attribute === nameProperty[type]) return name;
    throw new PlainError(`The template of ${stack.name} uses ${id}.${attribute}, which has no value on this computer`);
  }

  #substitute(stack: Stack, argument: unknown): string {
    const [text, given] = (Array.isArray(argument) ? argument : [argument, {}]) as [string, Record<string, unknown>];
    return text.replaceAll(/\$\{([^}]+)\}/g, (_, name: string) => {
      if (name.startsWith('!')) return `\${${name.slice(1)}}`;
      if (name in given) return this.text(stack, given[name]);
      return String(name.includes('.') ? this.#attribute(stack, name.split('.')) : this.#reference(stack, name));
    });
  }

  #import(stack: Stack, name: string): unknown {
    const exported = this.#exports.get(name);
    if (!exported) throw new PlainError(`${stack.name} imports ${name}, which no stack of the assembly exports`);
    return exported();
  }
}

const isScalar = (value: unknown): value is Scalar =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
