import { Aws, CfnOutput, Duration, Fn, Stack, type StackProps } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Construct } from 'constructs';
import { CLIENT_ADDRESS_HEADER, ORIGIN_SECRET_HEADER } from '../../shared/routes/distribution.ts';
import { acknowledge } from '../constructs/acknowledge.ts';
import type { Settings } from '../settings/settings.ts';

/** Settings of a deployment with a distribution. */
export type DistributionSettings = Pick<Settings, 'name' | 'console'> & {
  readonly publicUrl: string;
  readonly distributionCertificateArn: string;
  readonly webAclArn: string;
};

export interface DistributionStackProps extends StackProps {
  readonly settings: DistributionSettings;
  /** Host name of the API. */
  readonly apiHost: string;
  /** Dynamic reference to the secret that shows that a request comes from the distribution. */
  readonly originSecret: string;
}

/** Longer than the 30 seconds of API Gateway. */
const READ_TIMEOUT = Duration.seconds(35);

/** Statuses of errors that CloudFront caches for ten seconds unless their lifetime is set. */
const cachedErrors = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504] as const;

/** Adds the address of the client. A header of that name in the request is replaced. */
const ADDRESS_CODE = `function handler(event) {
  event.request.headers['${CLIENT_ADDRESS_HEADER}'] = { value: event.viewer.ip };
  return event.request;
}`;

/**
 * The stack with the CloudFront distribution in front of the API. It is deployed after the API stack, so that the functions
 * accept a new secret before the distribution sends it.
 */
export class DistributionStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    { settings, apiHost, originSecret, ...stackProps }: DistributionStackProps,
  ) {
    super(scope, id, stackProps);
    const { name, publicUrl, distributionCertificateArn, webAclArn } = settings;
    const addAddress = new EdgeFunction(this, 'ClientAddress', {
      // Names are unique in an account, whatever the region.
      functionName: Fn.join('-', [name, 'client-address', Aws.REGION]),
      comment: 'Adds the address of the client',
      code: FunctionCode.fromInline(ADDRESS_CODE),
      runtime: FunctionRuntime.JS_2_0,
    });
    const behavior = {
      origin: new HttpOrigin(apiHost, {
        protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
        originSslProtocols: [OriginSslPolicy.TLS_V1_2],
        readTimeout: READ_TIMEOUT,
        customHeaders: { [ORIGIN_SECRET_HEADER]: originSecret },
      }),
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
    } satisfies BehaviorOptions;
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Distribution of ${name}`,
      domainNames: [new URL(publicUrl).hostname],
      certificate: Certificate.fromCertificateArn(this, 'Certificate', distributionCertificateArn),
      minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2021,
      httpVersion: HttpVersion.HTTP2_AND_3,
      webAclId: webAclArn,
      defaultBehavior: {
        ...behavior,
        allowedMethods: AllowedMethods.ALLOW_ALL,
        cachePolicy: CachePolicy.CACHING_DISABLED,
        // API Gateway rejects requests with the host name of the distribution.
        originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
        compress: false,
        functionAssociations: [{ function: addAddress, eventType: FunctionEventType.VIEWER_REQUEST }],
      },
      // The names of these files contain a hash of their content, and their responses may be cached for a year.
      ...(settings.console && {
        additionalBehaviors: { '/assets/*': { ...behavior, cachePolicy: CachePolicy.CACHING_OPTIMIZED } },
      }),
      // A resource that did not exist a moment ago may exist now.
      errorResponses: cachedErrors.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
    });
    acknowledge(distribution, {
      'AwsSolutions::AwsSolutions-CFR1': 'The users of a deployment may be in any country.',
      'AwsSolutions::AwsSolutions-CFR3':
        'The functions log every request, and API Gateway its access log. AWS WAF counts blocked requests in a metric.',
    });
    new CfnOutput(this, 'DistributionDomainName', {
      description: `Target of the DNS record of ${new URL(publicUrl).hostname}`,
      value: distribution.distributionDomainName,
    });
  }
}
