/** An instance of a managed resource in a state (STATE-23). */
export interface ManagedResource {
  /** Module without the word `module`, such as `network.subnets`; `root` for the root module. */
  readonly module: string;
  /** Type of the resource, such as `aws_instance`. */
  readonly type: string;
  readonly name: string;
  /** Namespace and name of the provider, such as `hashicorp/aws`. */
  readonly provider: string;
  /** Number or key of the instance; null without `count` and `for_each`. */
  readonly index: string | number | null;
}

export const ROOT_MODULE = 'root';

/** Builds the address of an instance, as clients of HCP Terraform know it: `network.aws_subnet.this[0]`. */
export const addressOf = ({ module, type, name, index }: ManagedResource): string => {
  const prefix = module === ROOT_MODULE ? '' : `${module}.`;
  return `${prefix}${type}.${name}${index === null ? '' : `[${JSON.stringify(index)}]`}`;
};
