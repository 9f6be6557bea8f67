/** A finding of cfn-lint or checkov. */
export interface Finding {
  /** Id of the rule. */
  readonly rule: string;
  /** Template and the resource or output, for example `defaults.Data.template.json AWS::S3::Bucket.Bucket83908E77`. */
  readonly place: string;
  readonly message: string;
}

/** Findings of one rule that are accepted. */
interface Acknowledgement {
  readonly rule: string;
  /** Pattern of the places at which the rule is accepted. */
  readonly places: RegExp;
  /** Why the finding is not a fault. */
  readonly reason: string;
}

/** All accepted findings of the judges. Those of cdk-nag are acknowledged in the stacks. */
export const acknowledgements: readonly Acknowledgement[] = [
  {
    rule: 'W3005',
    places:
      /(Api\w*|Hub)\.template\.json Resources\/(\w+Function\w+|Changes|History|HubRule\w+|StageApiDomainName\w+)\/DependsOn\//,
    reason:
      'The CDK adds dependencies with all children, such as the role, which others name already. No order changes.',
  },
  {
    rule: 'W6001',
    places: /Api\w*\.template\.json Outputs\/TableName\//,
    reason:
      'The API stack publishes the table that the functions use. After a recovery it is not that of the data stack.',
  },
  {
    rule: 'CKV_AWS_7',
    places: / AWS::KMS::Key\.FingerprintsKey/,
    reason: 'KMS cannot rotate an HMAC key. A new key would change the fingerprints of all values.',
  },
  {
    rule: 'CKV_AWS_18',
    places: / AWS::S3::Bucket\.Bucket/,
    reason:
      'Every URL to an object comes from a function that logs the request. A log bucket would need protection too.',
  },
  {
    rule: 'CKV_AWS_26',
    places: / AWS::SNS::Topic\.Topic/,
    reason:
      'CloudWatch cannot publish under the key of AWS for SNS. Alarms contain names and metrics, no stored values.',
  },
  {
    rule: 'CKV_AWS_27',
    places: / AWS::SQS::Queue\.(DeadLetters|Deletions)/,
    reason: 'SQS encrypts the queue with a key of its own (SqsManagedSseEnabled). The rule accepts only keys in KMS.',
  },
  {
    rule: 'CKV_AWS_86',
    places: / AWS::CloudFront::Distribution\./,
    reason: 'The functions and API Gateway log every request. AWS WAF counts blocked requests in a metric.',
  },
  {
    rule: 'CKV_AWS_115',
    places: / AWS::Lambda::Function\./,
    reason: 'A reservation takes concurrency from all other functions of the account: the setting reservedConcurrency.',
  },
  {
    rule: 'CKV_AWS_116',
    places: / AWS::Lambda::Function\./,
    reason:
      'Callers receive errors. Asynchronous invocations have a failure destination, which also contains the error.',
  },
  {
    rule: 'CKV_AWS_117',
    places: / AWS::Lambda::Function\./,
    reason:
      'The functions call only AWS services. In a VPC, each service would need an endpoint, which is paid by the hour.',
  },
  {
    rule: 'CKV_AWS_149',
    places: /^example\.Distribution\.template\.json AWS::SecretsManager::Secret\./,
    reason: 'Secrets Manager encrypts secrets with a key of its own. This one protects a rate rule, no stored values.',
  },
  {
    rule: 'CKV_AWS_158',
    places: / AWS::Logs::LogGroup\./,
    reason: 'CloudWatch Logs encrypts all logs with a key of its own. Stored values are under keys of the deployment.',
  },
  {
    rule: 'CKV_AWS_173',
    places: / AWS::Lambda::Function\./,
    reason:
      'Lambda encrypts variables with a key of its own. They contain names and settings, and at most the secret of the distribution.',
  },
  {
    rule: 'CKV_AWS_192',
    places: / AWS::WAFv2::WebACL\./,
    reason: 'The service contains no Java. The managed rules would cost more than the web ACL for no effect.',
  },
];

/**
 * Compares findings with the acknowledgements.
 *
 * @returns a line for each finding that is not acknowledged, and for each acknowledgement without a finding.
 */
export const problemsOf = (
  findings: readonly Finding[],
  accepted: readonly Acknowledgement[] = acknowledgements,
): readonly string[] => {
  const covers = ({ rule, places }: Acknowledgement, finding: Finding) =>
    rule === finding.rule && places.test(finding.place);
  const open = findings.filter((finding) => !accepted.some((one) => covers(one, finding)));
  const unused = accepted.filter((one) => !findings.some((finding) => covers(one, finding)));
  return [
    ...open.map(({ rule, place, message }) => `${rule} ${place}: ${message}`),
    ...unused.map(({ rule, places }) => `${rule} is acknowledged for ${places}, but there is no such finding`),
  ];
};
